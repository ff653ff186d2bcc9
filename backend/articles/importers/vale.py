"""Imports substitution rules of Vale styles (https://vale.sh), and lists other rules as skipped.

The keys of ``swap`` are regular expressions with word boundaries, unless ``nonword`` is set. A value with
``|`` contains alternatives. Matches of ``exceptions`` are ignored.
"""

from pathlib import Path
from typing import Any

from backend.articles.importers.regex_expansion import Expansion, UnsupportedRegexError, expand
from backend.articles.importers.rule_drafts import Draft, ImportResult, build_patterns
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
    """True if ``data`` looks like a Vale rule."""
    return isinstance(data, dict) and data.get("extends") in KINDS


def read(path: Path, *, auto_fix: bool = False) -> ImportResult:
    """Import the rules of the style ``path``.

    :raises InvalidRulesError: if it cannot be read.
    """
    imported = ImportResult(path, "vale")
    add(imported, read_document(path), auto_fix=auto_fix)
    return imported


def add(imported: ImportResult, document: Document, *, auto_fix: bool) -> None:
    """Add the rules of one style file."""
    data, path = document.data, document.path
    if not is_supported(data):
        imported.skip(path, 0, path.name, "'extends' must name one of Vale's rule types")
        return
    kind = data["extends"]
    swap = data.get("swap")
    if kind != "substitution":
        reason = f"a rule of type '{kind}' has no correction"
        imported.skip(path, document.line("extends"), path.name, reason)
    elif not isinstance(swap, dict) or not swap:
        imported.skip(path, document.line("swap"), path.name, "'swap' must map wrong texts to right ones")
    elif unsupported := _find_unsupported(data):
        imported.skip(path, document.line(unsupported[0]), path.name, unsupported[1])
    else:
        for key, value in swap.items():
            _add_swap(imported, document, str(key), value, auto_fix)


def _find_unsupported(data: dict[str, Any]) -> tuple[str, str] | None:
    """Return the field that prevents the import of the whole style, and the reason."""
    for name in data:
        if name not in _KNOWN:
            return name, f"'{name}' changes the matches in a way that rules do not support"
    scope = data.get("scope", "text")
    if scope not in ("text", ["text"]):
        return "scope", f"the scope {scope!r} is not supported"
    if data.get("level", "warning") not in _SEVERITIES:
        return "level", f"the level {data['level']!r} is unknown"
    exceptions = data.get("exceptions") or []
    if not isinstance(exceptions, list) or not all(isinstance(given, str) for given in exceptions):
        return "exceptions", "'exceptions' must be a list of texts"
    try:
        _exceptions(data)
    except UnsupportedRegexError as reason:
        return "exceptions", f"one of its exceptions cannot be imported: {reason}"
    return None


def _exceptions(data: dict[str, Any]) -> set[str]:
    ignorecase = data.get("ignorecase") is True
    texts = {
        expansion.text for given in data.get("exceptions") or [] for expansion in expand(given, bounded=True)
    }
    return {text.lower() for text in texts} if ignorecase else texts


def _add_swap(imported: ImportResult, document: Document, key: str, value: Any, auto_fix: bool) -> None:
    data, path, line = document.data, document.path, document.line("swap", key)
    if not isinstance(value, str) or not value:
        imported.skip(path, line, key, f"its value {value!r} must be text")
        return
    ignorecase, nonword = data.get("ignorecase") is True, data.get("nonword") is True
    try:
        if "$" in value:
            raise UnsupportedRegexError("'$' in its value is a group reference, which is not supported")
        patterns = build_patterns(expand(key, bounded=not nonword), boundary="auto")
        excepted = _exceptions(data)
    except UnsupportedRegexError as reason:
        imported.skip(path, line, key, str(reason))
        return
    kept = tuple(p for p, expansion in patterns if _is_match(expansion, excepted, ignorecase))
    action = data.get("action")
    replaces = isinstance(action, dict) and action.get("name") == "replace"
    choices = tuple(choice.strip() for choice in value.split("|") if choice.strip())
    imported.add(
        Draft(
            path,
            line,
            choices[0] if len(choices) == 1 else choices,
            tuple(dict.fromkeys(_without_boundary(pattern, nonword) for pattern in kept)),
            boundary="none" if nonword else "word",
            case="any" if ignorecase else "exact",
            severity=_SEVERITIES[data.get("level", "warning")],
            auto_fix=auto_fix or replaces,
            note=_note(data, value, kept),
        )
    )


def _is_match(expansion: Expansion, excepted: set[str], ignorecase: bool) -> bool:
    return (expansion.text.lower() if ignorecase else expansion.text) not in excepted


def _without_boundary(pattern: Pattern, nonword: bool) -> Pattern:
    """Remove the boundary, which the whole rule already has."""
    return pattern if nonword else pattern.model_copy(update={"boundary": None})


def _note(data: dict[str, Any], value: str, wrong: tuple[Pattern, ...]) -> str | None:
    """Build the note from Vale's message and link."""
    message, link = data.get("message"), data.get("link")
    parts = []
    if isinstance(message, str):
        shown = wrong[0].text if wrong else ""
        parts.append(message.replace("%s", value, 1).replace("%s", shown, 1))
    if isinstance(link, str):
        parts.append(link)
    return " ".join(parts) or None
