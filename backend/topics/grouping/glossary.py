"""Finds glossary terms in topics and returns their definitions in three languages."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from backend.entities.model import LANGUAGES, Language
from backend.topics.model import Term

MAX_TERMS = 8
"""Terms that are explained in one topic."""
_SHORT_NAME_CHARS = 4
"""Up to this length, a katakana term must not touch other katakana: ブリッジ in ケンブリッジ."""
_KATAKANA = re.compile("[ァ-ヺー]+")
_FILE = Path(__file__).parent / "data" / "glossary.yaml"


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """A term in one language. The first of its ``names`` is displayed."""

    id: str
    names: tuple[str, ...]
    definition: str


def find_terms(texts: Iterable[str], language: Language) -> tuple[Term, ...]:
    """Return the terms that occur in ``texts`` in order of occurrence. The longest name matches first."""
    return tuple(
        Term(entry.names[0], entry.definition) for entry in find_entries(texts, language)[:MAX_TERMS]
    )


def find_entries(texts: Iterable[str], language: Language) -> list[GlossaryEntry]:
    pattern, by_name = _compile_patterns()[language]
    entries_by_id: dict[str, GlossaryEntry] = {}
    for text in texts:
        for match in pattern.finditer(text):
            name = next(text for text in match.groups() if text)
            entry = by_name[name.lower()]
            entries_by_id.setdefault(entry.id, entry)
    return list(entries_by_id.values())


@cache
def load_glossary() -> Mapping[Language, tuple[GlossaryEntry, ...]]:
    """Load all terms in file order."""
    data = yaml.load(_FILE.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return {
        language: tuple(
            GlossaryEntry(name, tuple(term[language]["names"]), term[language]["says"])
            for name, term in data.items()
        )
        for language in LANGUAGES
    }


@cache
def _compile_patterns() -> Mapping[Language, tuple[re.Pattern[str], Mapping[str, GlossaryEntry]]]:
    compiled: dict[Language, tuple[re.Pattern[str], Mapping[str, GlossaryEntry]]] = {}
    for language, entries in load_glossary().items():
        by_name = {name.lower(): entry for entry in entries for name in entry.names}
        longest_first = sorted(by_name, key=lambda name: (-len(name), name))
        latin = "|".join(re.escape(name) for name in longest_first if name.isascii())
        other_pattern = "|".join(
            _build_unspaced_pattern(name) for name in longest_first if not name.isascii()
        )
        # Japanese and Chinese texts put no spaces around Latin names: only adjacent letters matter.
        parts = [rf"(?<![A-Za-z0-9])(?P<latin>{latin})(?:e?s)?(?![A-Za-z0-9])"] if latin else []
        parts += [f"(?P<other>{other_pattern})"] if other_pattern else []
        compiled[language] = re.compile("|".join(parts), re.IGNORECASE), by_name
    return compiled


def _build_unspaced_pattern(name: str) -> str:
    if len(name) <= _SHORT_NAME_CHARS and _KATAKANA.fullmatch(name):
        return f"(?<![ァ-ヺー]){name}(?![ァ-ヺー])"
    return re.escape(name)
