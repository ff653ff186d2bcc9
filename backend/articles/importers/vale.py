"""Imports Vale styles (https://vale.sh): substitution rules; other kinds are listed as skipped.

The keys of ``swap`` are regular expressions, bounded by words unless ``nonword`` says otherwise; a value
with ``|`` in it is a choice. A match that equals one of ``exceptions`` does not count.
"""

from pathlib import Path
from typing import Any

from backend.articles.importers.regex_expansion import Expansion, UnsupportedRegexError, expand
from backend.articles.importers.rule_drafts import Draft, Import, patterns_of
from backend.articles.model import Pattern, Severity
from backend.articles.rules.yaml_reader import Document, read_document

KINDS = (
    "substitution",
    "existence",
    "capitalization",
    "conditional",
    "consistency",
    "occurrence",
    "repetition",
    "metric",
    "readability",
    "script",
    "sequence",
    "spelling",
)
_SEVERITIES: dict[Any, Severity] = {"suggestion": "info", "warning": "warning", "error": "error"}
_KNOWN = (
    "extends",
    "message",
    "link",
    "level",
    "ignorecase",
    "nonword",
    "swap",
    "action",
    "scope",
    "exceptions",
    "vocab",
    "description",
    "limit",
    "name",
)


def is_supported(data: Any) -> bool:
    """Whether ``data`` looks like a Vale rule."""
    return isinstance(data, dict) and data.get("extends") in KINDS


def read(path: Path, *, auto_fix: bool = False) -> Import:
    """The rules of the style ``path``.

    :raises InvalidRulesError: where it cannot be read.
    """
    made = Import(path, "vale")
    add(made, read_document(path), auto_fix=auto_fix)
    return made


def add(made: Import, document: Document, *, auto_fix: bool) -> None:
    """Add the rules of one style file."""
    data, path = document.data, document.path
    if not is_supported(data):
        made.skip(path, 0, path.name, "'extends' must name one of Vale's rule types")
        return
    kind = data["extends"]
    swap = data.get("swap")
    if kind != "substitution":
        reason = f"a rule of the kind '{kind}' says what is wrong and not what would be right"
        made.skip(path, document.line("extends"), path.name, reason)
    elif not isinstance(swap, dict) or not swap:
        made.skip(path, document.line("swap"), path.name, "'swap' must map wrong texts to right ones")
    elif unfit := _unfit(data):
        made.skip(path, document.line(unfit[0]), path.name, unfit[1])
    else:
        for key, value in swap.items():
            _swap(made, document, str(key), value, auto_fix)


def _unfit(data: dict[str, Any]) -> tuple[str, str] | None:
    """The field that keeps the whole style from being carried over, and why."""
    for name in data:
        if name not in _KNOWN:
            return name, f"'{name}' changes what it matches, and rules have nothing like it"
    scope = data.get("scope", "text")
    if scope not in ("text", ["text"]):
        return "scope", f"it is for the scope {scope!r} alone"
    if data.get("level", "warning") not in _SEVERITIES:
        return "level", f"the level {data['level']!r} is not known"
    exceptions = data.get("exceptions") or []
    if not isinstance(exceptions, list) or not all(isinstance(given, str) for given in exceptions):
        return "exceptions", "'exceptions' must be a list of texts"
    try:
        _exceptions(data)
    except UnsupportedRegexError as reason:
        return "exceptions", f"one of its exceptions cannot be carried over: {reason}"
    return None


def _exceptions(data: dict[str, Any]) -> set[str]:
    ignorecase = data.get("ignorecase") is True
    texts = {
        expansion.text for given in data.get("exceptions") or [] for expansion in expand(given, bounded=True)
    }
    return {text.lower() for text in texts} if ignorecase else texts


def _swap(made: Import, document: Document, key: str, value: Any, auto_fix: bool) -> None:
    data, path, line = document.data, document.path, document.line("swap", key)
    if not isinstance(value, str) or not value:
        made.skip(path, line, key, f"its value {value!r} must be text")
        return
    ignorecase, nonword = data.get("ignorecase") is True, data.get("nonword") is True
    try:
        if "$" in value:
            raise UnsupportedRegexError("'$' in its value stands for what a group matched")
        patterns = patterns_of(expand(key, bounded=not nonword), boundary="auto")
        excepted = _exceptions(data)
    except UnsupportedRegexError as reason:
        made.skip(path, line, key, str(reason))
        return
    kept = tuple(p for p, expansion in patterns if _counts(expansion, excepted, ignorecase))
    action = data.get("action")
    replaces = isinstance(action, dict) and action.get("name") == "replace"
    choices = tuple(choice.strip() for choice in value.split("|") if choice.strip())
    made.add(
        Draft(
            path,
            line,
            choices[0] if len(choices) == 1 else choices,
            tuple(dict.fromkeys(_unbounded(pattern, nonword) for pattern in kept)),
            boundary="none" if nonword else "word",
            case="any" if ignorecase else "exact",
            severity=_SEVERITIES[data.get("level", "warning")],
            auto_fix=auto_fix or replaces,
            note=_note(data, value, kept),
        )
    )


def _counts(expansion: Expansion, excepted: set[str], ignorecase: bool) -> bool:
    return (expansion.text.lower() if ignorecase else expansion.text) not in excepted


def _unbounded(pattern: Pattern, nonword: bool) -> Pattern:
    """Without the boundary that the whole rule has anyway."""
    return pattern if nonword else pattern.model_copy(update={"boundary": None})


def _note(data: dict[str, Any], value: str, wrong: tuple[Pattern, ...]) -> str | None:
    """The message as Vale would fill it, and the link."""
    message, link = data.get("message"), data.get("link")
    parts = []
    if isinstance(message, str):
        shown = wrong[0].text if wrong else ""
        parts.append(message.replace("%s", value, 1).replace("%s", shown, 1))
    if isinstance(link, str):
        parts.append(link)
    return " ".join(parts) or None
