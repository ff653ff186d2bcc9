"""Converts scan results to findings of the command line: file, position, problem, reason and fix."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from backend.articles.matching.rule_set import RuleSet
from backend.articles.model import Rule
from backend.articles.schemas import ScanResult, Violation


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation with its position. Lines and columns count from 1, columns in code points.

    In an archive ``line`` is the line of the article in the file and the columns are null; ``field`` and the
    offsets give the position in the article.
    """

    file: str
    line: int
    column: int | None
    end_line: int
    end_column: int | None
    violation: Violation
    corrected: str | None
    """The corrected text; None if there is no single one."""
    reason: str | None
    """The reason in the language of the article."""
    about: str | None
    """The reason of the rule in English, for articles of any language."""

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


class PositionCounter:
    """Computes lines and columns of ascending offsets in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._line_start = 0

    def position_of(self, offset: int) -> tuple[int, int]:
        """Return line and column of ``offset``, which must not precede the previous one."""
        newlines = self._text.count("\n", self._at, offset)
        if newlines:
            self._line += newlines
            self._line_start = self._text.rfind("\n", 0, offset) + 1
        self._at = offset
        return self._line, offset - self._line_start + 1


@lru_cache(maxsize=2)
def get_rules_by_id(rules: RuleSet) -> Mapping[str, Rule]:
    """Map the rules of a set by id."""
    return {compiled.id: compiled.rule for compiled in rules.rules}


def build_text_findings(
    file: str, text: str, result: ScanResult, rules_by_id: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Build the findings of a file whose whole text is the article's content."""
    starts, ends = PositionCounter(text), PositionCounter(text)
    for violation, corrected in _with_corrections(result):
        line, column = starts.position_of(violation["start_offset"])
        end_line, end_column = ends.position_of(violation["end_offset"])
        reasons = _find_reasons(violation, rules_by_id)
        yield Finding(file, line, column, end_line, end_column, violation, corrected, *reasons)


def build_archive_findings(
    file: str, line: int, result: ScanResult, rules_by_id: Mapping[str, Rule]
) -> Iterator[Finding]:
    """Build the findings of the article in one line of an archive."""
    for violation, corrected in _with_corrections(result):
        yield Finding(
            file, line, None, line, None, violation, corrected, *_find_reasons(violation, rules_by_id)
        )


def _find_reasons(violation: Violation, rules_by_id: Mapping[str, Rule]) -> tuple[str | None, str | None]:
    if "reasons" in violation:
        return violation["reasons"].get(violation["language"]), violation["reasons"].get("en")
    rule = rules_by_id[violation["rule_id"]]
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
