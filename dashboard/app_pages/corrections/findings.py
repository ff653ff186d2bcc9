"""Findings of a scan, what an editor decides on them, and the edits that follow. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

from backend.articles.schemas import Correction, ScanResult
from dashboard.app_pages.corrections.article_edits import Edit, Edits, WrongPlace, hand_edit, moved, texts
from dashboard.client.article_schemas import Article

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Status = Literal["approved", "ignored"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation with its correction, where there is one.

    ``suggestion`` is null where there is no single one; ``safe`` ones may be applied without asking.
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
    """``text`` is the name that the editor chose where the rule offers several; else null."""

    status: Status
    text: str | None = None


Decisions: TypeAlias = Mapping[int, Decision]
"""By the finding's number in its scan, in the order in which they were made."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Findings of one scan. ``safe`` and ``approval`` are those with a correction."""

    error: int = 0
    warning: int = 0
    info: int = 0
    safe: int = 0
    approval: int = 0
    open: int = 0

    @property
    def all(self) -> int:
        return self.error + self.warning + self.info


def findings(scan: ScanResult) -> tuple[Finding, ...]:
    """In reading order: title, summary, content, tags, and by place within."""
    fixes = {_place(correction): correction for correction in scan["corrections"]}
    found = []
    for violation in scan["violations"]:
        fix = fixes.get(_place(violation))
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


def count(found: Sequence[Finding]) -> Counts:
    by = Counter(one.severity for one in found)
    safe = sum(one.safe for one in found)
    approval = sum(one.suggestion is not None and not one.safe for one in found)
    return Counts(by["error"], by["warning"], by["info"], safe, approval, open=len(found) - safe - approval)


def approved_edits(article: Article, found: Sequence[Finding], decisions: Decisions) -> dict[str, list[Edit]]:
    """The edits that were approved, by field; raises :class:`WrongPlace` where the text is another."""
    edits = []
    for number, decision in sorted(decisions.items()):
        one = found[number]
        text = one.suggestion if decision.text is None else decision.text
        if decision.status == "approved" and text is not None:
            edits.append((one.field, Edit(one.start, one.end, text), one.text))
    return _checked(article, edits)


def safe_edits(
    article: Article, applied: Sequence[Correction], found: Sequence[Finding], decisions: Decisions
) -> dict[str, list[Edit]]:
    """The edits of corrections that the service applied, without those that the editor ignores."""
    left_out = {
        (one.field, one.start, one.end)
        for number, decision in decisions.items()
        if decision.status == "ignored"
        for one in (found[number],)
    }
    return _checked(
        article,
        [
            (
                one["field"],
                Edit(one["start_offset"], one["end_offset"], one["corrected_text"]),
                one["original_text"],
            )
            for one in applied
            if (one["field"], one["start_offset"], one["end_offset"]) not in left_out
        ],
    )


def edits_by_hand(before: Article, after: Article) -> dict[str, list[Edit]] | None:
    """What was changed between two versions of an article; null when it is another article by now.

    It counts as another one when less than half of its text is left. A field that one of them lacks is
    empty there; tags are compared only where their number is the same.
    """
    old, new = texts(before), texts(after)
    fields = [name for name in {**old, **new} if not name.startswith("tags")]
    if len(before["tags"]) == len(after["tags"]):
        fields += [name for name in old if name.startswith("tags")]
    made = {name: hand_edit(old.get(name, ""), new.get(name, "")) for name in fields}
    edits = {field: [edit] for field, edit in made.items() if edit is not None}
    lost = sum(edit.end - edit.start for (edit,) in edits.values())
    return edits if lost * 2 <= sum(map(len, old.values())) else None


def carried(
    found: Sequence[Finding], decisions: Decisions, edits: Edits, after: Sequence[Finding]
) -> dict[int, Decision]:
    """The decisions that still stand after ``edits``, by the number of the same finding then."""
    there = {(one.rule, one.field, one.start, one.end, one.text): n for n, one in enumerate(after)}
    kept = {}
    for number, decision in decisions.items():
        one = found[number]
        place = moved(one.start, one.end, edits.get(one.field, ()))
        if place is not None and (n := there.get((one.rule, one.field, *place, one.text))) is not None:
            kept[n] = decision
    return kept


def _checked(article: Article, edits: Sequence[tuple[str, Edit, str]]) -> dict[str, list[Edit]]:
    """The edits by field, ascending, once each place is seen to hold the text that was found there."""
    have = texts(article)
    made: dict[str, list[Edit]] = {}
    for field, edit, original in sorted(edits):
        if have.get(field, "")[edit.start : edit.end] != original:
            raise WrongPlace(f"{field}[{edit.start}:{edit.end}] is not “{original}”.")
        made.setdefault(field, []).append(edit)
    return made


def _place(one: Mapping[str, object]) -> tuple[object, ...]:
    return one["rule_id"], one["field"], one["start_offset"], one["end_offset"]


_ORDER = {"title": 0, "summary": 1, "content": 2}


def _field_order(field: str) -> tuple[int, int]:
    return (3, int(field[5:-1])) if field.startswith("tags[") else (_ORDER[field], 0)
