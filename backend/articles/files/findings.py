"""What a scan found, as the command line shows it: where in which file, what, why and what to do."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from backend.articles.matching.rule_set import RuleSet
from backend.articles.model import Rule
from backend.articles.schemas import ScanResult, Violation


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation with its place. Lines and columns count from 1, columns in code points.

    In an archive ``line`` is the article's line of the file and the columns are null; ``field`` and the
    offsets say where in the article.
    """

    file: str
    line: int
    column: int | None
    end_line: int
    end_column: int | None
    violation: Violation
    corrected: str | None
    """What a correction would write; null where there is no single one."""
    reason: str | None
    """Why, in the language of the article."""
    about: str | None
    """What the rule says of itself in English, whatever the language of the article."""

    @property
    def fixable(self) -> bool:
        return self.corrected is not None and self.violation["auto_fixable"]

    def as_json(self) -> dict[str, object]:
        place = {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
        }
        return {**place, **self.violation, "corrected_text": self.corrected, "reason": self.reason}


class Places:
    """Lines and columns of ascending offsets of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._line_start = 0

    def of(self, offset: int) -> tuple[int, int]:
        """Line and column of ``offset``, which is not before the last one asked for."""
        newlines = self._text.count("\n", self._at, offset)
        if newlines:
            self._line += newlines
            self._line_start = self._text.rfind("\n", 0, offset) + 1
        self._at = offset
        return self._line, offset - self._line_start + 1


@lru_cache(maxsize=2)
def by_id(rules: RuleSet) -> Mapping[str, Rule]:
    """The rules of a set by their ids."""
    return {compiled.id: compiled.rule for compiled in rules.rules}


def in_text(file: str, text: str, result: ScanResult, known: Mapping[str, Rule]) -> Iterator[Finding]:
    """Findings of a file whose whole text is the article's content."""
    starts, ends = Places(text), Places(text)
    for violation, corrected in _with_corrections(result):
        line, column = starts.of(violation["start_offset"])
        end_line, end_column = ends.of(violation["end_offset"])
        why = _why(violation, known)
        yield Finding(file, line, column, end_line, end_column, violation, corrected, *why)


def in_archive(file: str, line: int, result: ScanResult, known: Mapping[str, Rule]) -> Iterator[Finding]:
    """Findings of the article in one line of an archive."""
    for violation, corrected in _with_corrections(result):
        yield Finding(file, line, None, line, None, violation, corrected, *_why(violation, known))


def _why(violation: Violation, known: Mapping[str, Rule]) -> tuple[str | None, str | None]:
    rule = known[violation["rule_id"]]
    return rule.reason(violation["language"]), rule.reason("en")


def _with_corrections(result: ScanResult) -> Iterable[tuple[Violation, str | None]]:
    corrections = {
        (correction["field"], correction["start_offset"], correction["end_offset"]): correction
        for correction in result["corrections"]
    }
    for violation in result["violations"]:
        place = (violation["field"], violation["start_offset"], violation["end_offset"])
        correction = corrections.get(place)
        yield violation, correction["corrected_text"] if correction else None
