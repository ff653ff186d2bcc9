"""Builds the findings of a scan, and the edits that follow from an editor's decisions. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

from backend.articles.schemas import Correction, ScanResult
from dashboard.app_pages.corrections.article_edits import (
    Edit,
    EditMismatchError,
    Edits,
    find_edit,
    list_texts,
    move_span,
)
from dashboard.client.article_schemas import Article

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Status = Literal["approved", "ignored"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation and its correction, if it has one.

    ``suggestion`` is null unless there is exactly one. ``safe`` corrections may be applied without approval.
    """

    rule: str
    entity: str | None
    field: str
    start: int
    end: int
    text: str
    type: str
    severity: Severity
    language: str
    suggestion: str | None
    safe: bool


class Decision(NamedTuple):
    """``text`` is the name that the editor chose if the rule offers several; null otherwise."""

    status: Status
    text: str | None = None


Decisions: TypeAlias = Mapping[int, Decision]
"""Decisions by the finding's index in its scan, in the order in which they were made."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of findings in a scan. ``safe`` and ``approval`` count those with a correction."""

    error: int = 0
    warning: int = 0
    info: int = 0
    safe: int = 0
    approval: int = 0
    open: int = 0

    @property
    def all(self) -> int:
        return self.error + self.warning + self.info


def build_findings(scan: ScanResult) -> tuple[Finding, ...]:
    """Build the findings in reading order: title, summary, content, tags, then by offset."""
    fixes = {_get_position(correction): correction for correction in scan["corrections"]}
    found = []
    for violation in scan["violations"]:
        fix = fixes.get(_get_position(violation))
        found.append(
            Finding(
                violation["rule_id"],
                violation["entity_id"],
                violation["field"],
                violation["start_offset"],
                violation["end_offset"],
                violation["matched_text"],
                violation["violation_type"],
                violation["severity"],
                violation["language"],
                fix["corrected_text"] if fix else None,
                bool(fix and fix["auto_fixable"]),
            )
        )
    return tuple(sorted(found, key=lambda one: (*_field_order(one.field), one.start, one.end, one.rule)))


def count_findings(found: Sequence[Finding]) -> Counts:
    by = Counter(one.severity for one in found)
    safe = sum(one.safe for one in found)
    approval = sum(one.suggestion is not None and not one.safe for one in found)
    return Counts(by["error"], by["warning"], by["info"], safe, approval, open=len(found) - safe - approval)


def build_approved_edits(
    article: Article, found: Sequence[Finding], decisions: Decisions
) -> dict[str, list[Edit]]:
    """Build the approved edits by field; raises :class:`EditMismatchError` if the text has changed."""
    edits = []
    for number, decision in sorted(decisions.items()):
        one = found[number]
        text = one.suggestion if decision.text is None else decision.text
        if decision.status == "approved" and text is not None:
            edits.append((one.field, Edit(one.start, one.end, text), one.text))
    return _verify_edits(article, edits)


def build_safe_edits(
    article: Article, applied: Sequence[Correction], found: Sequence[Finding], decisions: Decisions
) -> dict[str, list[Edit]]:
    """Build the edits of the service's applied corrections, without those that the editor ignores."""
    ignored = {
        (one.field, one.start, one.end)
        for number, decision in decisions.items()
        if decision.status == "ignored"
        for one in (found[number],)
    }
    return _verify_edits(
        article,
        [
            (
                one["field"],
                Edit(one["start_offset"], one["end_offset"], one["corrected_text"]),
                one["original_text"],
            )
            for one in applied
            if (one["field"], one["start_offset"], one["end_offset"]) not in ignored
        ],
    )


def find_manual_edits(before: Article, after: Article) -> dict[str, list[Edit]] | None:
    """Find the edits between two versions of an article; null if less than half of the text is left.

    It then counts as another article. A missing field counts as empty; tags are compared only if their number
    is the same.
    """
    old, new = list_texts(before), list_texts(after)
    fields = [name for name in {**old, **new} if not name.startswith("tags")]
    if len(before["tags"]) == len(after["tags"]):
        fields += [name for name in old if name.startswith("tags")]
    made = {name: find_edit(old.get(name, ""), new.get(name, "")) for name in fields}
    edits = {field: [edit] for field, edit in made.items() if edit is not None}
    lost = sum(edit.end - edit.start for (edit,) in edits.values())
    return edits if lost * 2 <= sum(map(len, old.values())) else None


def carry_over(
    found: Sequence[Finding], decisions: Decisions, edits: Edits, after: Sequence[Finding]
) -> dict[int, Decision]:
    """Carry over the decisions whose findings still exist after ``edits``, by their new indexes."""
    numbers_after = {(one.rule, one.field, one.start, one.end, one.text): n for n, one in enumerate(after)}
    carried = {}
    for number, decision in decisions.items():
        one = found[number]
        place = move_span(one.start, one.end, edits.get(one.field, ()))
        if (
            place is not None
            and (n := numbers_after.get((one.rule, one.field, *place, one.text))) is not None
        ):
            carried[n] = decision
    return carried


def _verify_edits(article: Article, edits: Sequence[tuple[str, Edit, str]]) -> dict[str, list[Edit]]:
    """Group the edits by field, ascending; raises if the text at a span differs from the original."""
    texts_by_field = list_texts(article)
    made: dict[str, list[Edit]] = {}
    for field, edit, original in sorted(edits):
        if texts_by_field.get(field, "")[edit.start : edit.end] != original:
            raise EditMismatchError(f"{field}[{edit.start}:{edit.end}] is not “{original}”.")
        made.setdefault(field, []).append(edit)
    return made


def _get_position(one: Mapping[str, object]) -> tuple[object, ...]:
    return one["rule_id"], one["field"], one["start_offset"], one["end_offset"]


_ORDER = {"title": 0, "summary": 1, "content": 2}


def _field_order(field: str) -> tuple[int, int]:
    return (3, int(field[5:-1])) if field.startswith("tags[") else (_ORDER[field], 0)
