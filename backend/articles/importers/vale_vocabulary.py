"""Imports Vale vocabularies: a folder with ``accept.txt`` and ``reject.txt``, one expression per line.

Accepted terms become case-sensitive names, and rejected ones rules without a suggestion.
"""

from pathlib import Path

from backend.articles.importers.regex_expansion import UnsupportedRegexError, expand
from backend.articles.importers.rule_drafts import KANA, Draft, ImportResult, build_patterns, slug
from backend.articles.rules.pack_checks import find_unmatchable_reason, find_unsuggestable_reason
from backend.articles.rules.yaml_reader import read_text
from backend.articles.text.folding import fold
from backend.entities.model import Entity, Language

ANY_CASE = "(?i)"
FILES = ("accept.txt", "reject.txt")


def read(path: Path) -> ImportResult:
    """Import the vocabulary file ``path``.

    :raises InvalidRulesError: if it cannot be read.
    """
    imported = ImportResult(path, "vale")
    add(imported, path)
    return imported


def add(imported: ImportResult, path: Path) -> None:
    """Add the terms of one vocabulary file."""
    text = read_text(path)
    accepted: dict[str, list[tuple[str, bool, int]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        written = line.strip()
        if not written or written.startswith("#"):
            continue
        any_case = written.startswith(ANY_CASE)
        try:
            expansions = expand(written.removeprefix(ANY_CASE), bounded=True)
            patterns = tuple(pattern for pattern, _ in build_patterns(expansions, boundary="auto"))
        except UnsupportedRegexError as reason:
            imported.skip(path, number, written, str(reason))
            continue
        if path.name == "reject.txt":
            imported.add(
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
                imported.skip(path, number, written, "a name cannot exclude neighbours")
            else:
                accepted.setdefault(fold(pattern.text).text, []).append((pattern.text, any_case, number))
    for forms in accepted.values():
        _accept(imported, path, forms)


def _accept(imported: ImportResult, path: Path, forms: list[tuple[str, bool, int]]) -> None:
    """Add one name with all its accepted forms."""
    name, _, line = forms[0]
    if reason := find_unsuggestable_reason(name) or find_unmatchable_reason(name):
        imported.skip(path, line, name, f"it {reason}")
        return
    if len(name) > 100:
        imported.skip(path, line, name, "it must not be longer than 100 characters")
        return
    language: Language = "ja" if KANA.search(name) else "en"
    others = tuple(dict.fromkeys(form for form, _, _ in forms if form != name))
    imported.entities.append(
        Entity(
            id=f"accept-{slug(name)}",
            type="term",
            names={language: name},
            also={language: others} if others else {},
            case="any" if any(any_case for _, any_case, _ in forms) else "exact",
            note=f"Accepted in {path.name}, line {line}.",
        )
    )
