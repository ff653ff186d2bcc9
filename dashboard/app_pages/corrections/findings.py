"""Builds the findings of a scan, and the edits that follow from an editor's decisions. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

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
    reasons: Mapping[str, str] | None = None
    """Why this one finding was made, by language; null if the note of its rule says it."""


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
    findings = []
    for violation in scan["violations"]:
        fix = fixes.get(_get_position(violation))
        findings.append(
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
                cast("Mapping[str, str] | None", violation.get("reasons")),
            )
        )
    return tuple(
        sorted(
            findings,
            key=lambda finding: (*_get_field_order(finding.field), finding.start, finding.end, finding.rule),
        )
    )


def count_findings(findings: Sequence[Finding]) -> Counts:
    by = Counter(finding.severity for finding in findings)
    safe = sum(finding.safe for finding in findings)
    approval = sum(finding.suggestion is not None and not finding.safe for finding in findings)
    return Counts(
        by["error"], by["warning"], by["info"], safe, approval, open=len(findings) - safe - approval
    )


def build_approved_edits(
    article: Article, findings: Sequence[Finding], decisions: Decisions
) -> dict[str, list[Edit]]:
    """Build the approved edits by field; raises :class:`EditMismatchError` if the text has changed."""
    edits = []
    for number, decision in sorted(decisions.items()):
        finding = findings[number]
        text = finding.suggestion if decision.text is None else decision.text
        if decision.status == "approved" and text is not None:
            edits.append((finding.field, Edit(finding.start, finding.end, text), finding.text))
    return _verify_edits(article, edits)


def build_safe_edits(
    article: Article, applied: Sequence[Correction], findings: Sequence[Finding], decisions: Decisions
) -> dict[str, list[Edit]]:
    """Build the edits of the service's applied corrections, without those that the editor ignores."""
    ignored = {
        (finding.field, finding.start, finding.end)
        for number, decision in decisions.items()
        if decision.status == "ignored"
        for finding in (findings[number],)
    }
    return _verify_edits(
        article,
        [
            (
                correction["field"],
                Edit(correction["start_offset"], correction["end_offset"], correction["corrected_text"]),
                correction["original_text"],
            )
            for correction in applied
            if (correction["field"], correction["start_offset"], correction["end_offset"]) not in ignored
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
    edit_by_field = {name: find_edit(old.get(name, ""), new.get(name, "")) for name in fields}
    edits = {field: [edit] for field, edit in edit_by_field.items() if edit is not None}
    replaced_count = sum(edit.end - edit.start for (edit,) in edits.values())
    return edits if replaced_count * 2 <= sum(map(len, old.values())) else None


def carry_over(
    findings: Sequence[Finding], decisions: Decisions, edits: Edits, after: Sequence[Finding]
) -> dict[int, Decision]:
    """Carry over the decisions whose findings still exist after ``edits``, by their new indexes."""
    numbers_after = {
        (finding.rule, finding.field, finding.start, finding.end, finding.text): n
        for n, finding in enumerate(after)
    }
    carried = {}
    for number, decision in decisions.items():
        finding = findings[number]
        moved_span = move_span(finding.start, finding.end, edits.get(finding.field, ()))
        if (
            moved_span is not None
            and (n := numbers_after.get((finding.rule, finding.field, *moved_span, finding.text))) is not None
        ):
            carried[n] = decision
    return carried


def _verify_edits(article: Article, edits: Sequence[tuple[str, Edit, str]]) -> dict[str, list[Edit]]:
    """Group the edits by field, ascending; raises if the text at a span differs from the original."""
    texts_by_field = list_texts(article)
    edits_by_field: dict[str, list[Edit]] = {}
    for field, edit, original in sorted(edits):
        if texts_by_field.get(field, "")[edit.start : edit.end] != original:
            raise EditMismatchError(f"{field}[{edit.start}:{edit.end}] is not “{original}”.")
        edits_by_field.setdefault(field, []).append(edit)
    return edits_by_field


def _get_position(record: Mapping[str, object]) -> tuple[object, ...]:
    return record["rule_id"], record["field"], record["start_offset"], record["end_offset"]


_ORDER = {"title": 0, "summary": 1, "content": 2}


def _get_field_order(field: str) -> tuple[int, int]:
    return (3, int(field[5:-1])) if field.startswith("tags[") else (_ORDER[field], 0)
