"""Imports Vale vocabularies: a folder with ``accept.txt`` and ``reject.txt``, one expression per line.

What is accepted becomes a name, right in its exact capitals; what is rejected a rule without suggestion.
"""

from pathlib import Path

from backend.articles.importers.regex_expansion import UnsupportedRegexError, expand
from backend.articles.importers.rule_drafts import KANA, Draft, Import, patterns_of, slug
from backend.articles.rules.pack_checks import unmatchable_reason, unsuggestable_reason
from backend.articles.rules.yaml_reader import read_text
from backend.articles.text.folding import fold
from backend.entities.model import Entity, Language

ANY_CASE = "(?i)"
FILES = ("accept.txt", "reject.txt")


def read(path: Path) -> Import:
    """The vocabulary at ``path``, which is one of its two files.

    :raises InvalidRulesError: where it cannot be read.
    """
    made = Import(path, "vale")
    add(made, path)
    return made


def add(made: Import, path: Path) -> None:
    """Add one of a vocabulary's files."""
    text = read_text(path)
    accepted: dict[str, list[tuple[str, bool, int]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        written = line.strip()
        if not written or written.startswith("#"):
            continue
        any_case = written.startswith(ANY_CASE)
        try:
            expansions = expand(written.removeprefix(ANY_CASE), bounded=True)
            patterns = tuple(pattern for pattern, _ in patterns_of(expansions, boundary="auto"))
        except UnsupportedRegexError as reason:
            made.skip(path, number, written, str(reason))
            continue
        if path.name == "reject.txt":
            made.add(
                Draft(
                    path,
                    number,
                    (),
                    patterns,
                    boundary="word",
                    case="any" if any_case else "exact",
                    severity="error",
                )
            )
            continue
        for pattern in patterns:
            if pattern.not_before or pattern.not_after:
                made.skip(path, number, written, "a name has no neighbours that it must not have")
            else:
                accepted.setdefault(fold(pattern.text).text, []).append((pattern.text, any_case, number))
    for forms in accepted.values():
        _accept(made, path, forms)


def _accept(made: Import, path: Path, forms: list[tuple[str, bool, int]]) -> None:
    """One name for all ways to write it that are accepted."""
    name, _, line = forms[0]
    if fault := unsuggestable_reason(name) or unmatchable_reason(name):
        made.skip(path, line, name, f"it {fault}")
        return
    if len(name) > 100:
        made.skip(path, line, name, "it is longer than 100 characters")
        return
    language: Language = "ja" if KANA.search(name) else "en"
    others = tuple(dict.fromkeys(form for form, _, _ in forms if form != name))
    made.entities.append(
        Entity(
            id=f"accept-{slug(name)}",
            type="term",
            names={language: name},
            also={language: others} if others else {},
            case="any" if any(any_case for _, any_case, _ in forms) else "exact",
            note=f"Accepted in {path.name}, line {line}.",
        )
    )
