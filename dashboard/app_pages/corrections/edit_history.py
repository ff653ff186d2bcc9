"""Keeps every state of an article since it was opened, for undo and redo. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from backend.articles.schemas import ScanResult
from dashboard.app_pages.corrections import text_diff
from dashboard.app_pages.corrections.article_dates import ArticleDate, find_date
from dashboard.app_pages.corrections.article_edits import (
    Edits,
    list_texts,
    normalize_line_ends,
    restore_line_ends,
    split_tags,
)
from dashboard.app_pages.corrections.article_files import ArticleFile
from dashboard.app_pages.corrections.findings import (
    Decisions,
    Finding,
    build_approved_edits,
    build_findings,
    carry_over,
)
from dashboard.app_pages.corrections.inconsistent_names import InconsistentName, find_inconsistent_names
from dashboard.app_pages.corrections.text_diff import TextPieces
from dashboard.client.article_schemas import Article
from dashboard.i18n.languages import LANGUAGES

MAX_STEPS = 50
FIRST_DATE, LAST_DATE = date(1990, 1, 1), date(2099, 12, 31)
"""The dates of articles that the service reads."""

StepKind = Literal["checked", "edited", "safe", "approved", "single", "reverted", "accepted", "dated"]
"""The action that led to a state."""


@dataclass(frozen=True, slots=True)
class Step:
    """A state of an article, its findings and the decisions on them.

    ``pieces`` build each field's text from ``original``, the article as it was opened. The first
    ``carried_count`` decisions are from the previous step. ``edit_count`` is the number of edits since that.
    """

    number: int
    kind: StepKind
    article: Article
    original: Article
    pieces: Mapping[str, TextPieces]
    findings: tuple[Finding, ...]
    rules_version: str
    inconsistent_names: tuple[InconsistentName, ...] = ()
    """Names that the article writes in several right ways."""
    judging_date: str | None = ""
    """The date by which former names were judged; null if none was found, empty if none was needed."""
    decisions: Decisions = field(default_factory=dict)
    carried_count: int = 0
    edit_count: int = 0
    source: ArticleFile | None = None
    """The file that the article came from."""
    row: int | None = None
    """Its index in the batch of that file."""

    @property
    def language(self) -> str | None:
        """The chosen language, or the one that the service detected, if it found anything."""
        return self.article["language"] or next((finding.language for finding in self.findings), None)

    @property
    def preview_pieces(self) -> dict[str, TextPieces]:
        """Each field's text with approved corrections that are not applied yet."""
        edits = build_approved_edits(self.article, self.findings, self.decisions)
        return {
            name: text_diff.compose_edits(parts, edits.get(name, ())) for name, parts in self.pieces.items()
        }

    @property
    def date(self) -> ArticleDate:
        """The date that former names are judged by, and its origin."""
        return find_date(self.article, self.source)

    @property
    def is_changed(self) -> bool:
        return self.article != self.original


class EditHistory:
    """The steps of one article, and the current one. Step numbers are never reused."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.position = -1
        self._numbers = 0

    @property
    def step(self) -> Step | None:
        return self.steps[self.position] if self.steps else None

    @property
    def can_undo(self) -> bool:
        return self.position > 0

    @property
    def can_redo(self) -> bool:
        return self.position < len(self.steps) - 1

    def add_checked(
        self,
        article: Article,
        scan: ScanResult,
        rules_version: str,
        source: ArticleFile | None = None,
        row: int | None = None,
    ) -> Step:
        """Add an article as it was entered, with its findings, as a new original."""
        unchanged = {name: text_diff.build_unchanged(text) for name, text in list_texts(article).items()}
        return self._add_step(
            Step(
                0,
                "checked",
                article,
                article,
                unchanged,
                rules_version=rules_version,
                source=source,
                row=row,
                **_read_scan(scan),
            )
        )

    def add_edited(
        self,
        kind: StepKind,
        article: Article,
        edits: Edits,
        scan: ScanResult,
        rules_version: str,
        source: ArticleFile | None = None,
    ) -> Step:
        """Add the current article after ``edits``, with its new findings and still valid decisions."""
        before = self.steps[self.position]
        pieces = {
            name: text_diff.compose_edits(before.pieces.get(name, ()), edits.get(name, ()))
            for name in {**before.pieces, **edits}
        }
        original = before.original
        if len(article["tags"]) != len(before.article["tags"]):  # other tags, which have no original
            original = {**original, "tags": article["tags"]}
            tags = {f"tags[{n}]": text_diff.build_unchanged(tag) for n, tag in enumerate(article["tags"])}
            pieces = {name: parts for name, parts in pieces.items() if not name.startswith("tags")} | tags
        read = _read_scan(scan)
        carried = carry_over(before.findings, before.decisions, edits, read["findings"])
        return self._add_step(
            replace(
                before,
                kind=kind,
                article=article,
                original=original,
                pieces=pieces,
                rules_version=rules_version,
                decisions=carried,
                carried_count=len(carried),
                edit_count=sum(map(len, edits.values())),
                source=source or before.source,
                **read,
            )
        )

    def refresh_findings(self, scan: ScanResult, rules_version: str) -> Step:
        """Replace the findings of the current step after a new scan; adds no step."""
        before = self.steps[self.position]
        read = _read_scan(scan)
        carried = carry_over(before.findings, before.decisions, {}, read["findings"])
        self._numbers += 1
        step = replace(
            before,
            number=self._numbers,
            rules_version=rules_version,
            decisions=carried,
            carried_count=0,
            **read,
        )
        self.steps[self.position] = step
        return step

    def store_decisions(self, number: int, decisions: Decisions, *, new: bool) -> None:
        """Store the decisions on the findings of step ``number``, if it is still the current one.

        ``new``: a decision was made, not only undone or redone. The steps to redo are then deleted.
        """
        step = self.step
        if step is None or step.number != number:
            return
        valid = {n: decision for n, decision in decisions.items() if 0 <= n < len(step.findings)}
        carried_count = 0
        for previous, current in zip(
            list(step.decisions.items())[: step.carried_count], valid.items(), strict=False
        ):
            if previous != current:
                break
            carried_count += 1
        self.steps[self.position] = replace(step, decisions=valid, carried_count=carried_count)
        if new:
            del self.steps[self.position + 1 :]

    def store_carried_decisions(self, decisions: Decisions) -> None:
        """Replace the decisions of the current step by those that undo does not take back one by one."""
        step = self.steps[self.position]
        self.steps[self.position] = replace(step, decisions=decisions, carried_count=len(decisions))

    @property
    def number_count(self) -> int:
        """The number of steps that were ever added, which is the highest number of a step."""
        return self._numbers

    def restore(self, steps: list[Step], position: int, number_count: int) -> None:
        """Replace the steps by those of an earlier session."""
        self.steps, self.position = steps, position
        self._numbers = max([number_count, *(step.number for step in steps)])

    def undo(self) -> None:
        self.position = max(0, self.position - 1) if self.steps else -1

    def redo(self) -> None:
        self.position = min(len(self.steps) - 1, self.position + 1)

    def _add_step(self, step: Step) -> Step:
        """Add a step after the current one and delete the steps to redo."""
        self._numbers += 1
        numbered = replace(step, number=self._numbers)
        self.steps = [*self.steps[: self.position + 1], numbered][-MAX_STEPS:]
        self.position = len(self.steps) - 1
        return numbered


def _read_scan(scan: ScanResult) -> dict[str, Any]:
    """Build the fields of a step that a scan determines."""
    findings = build_findings(scan)
    return {
        "findings": findings,
        "inconsistent_names": find_inconsistent_names(scan, findings),
        "judging_date": scan.get("article_date", ""),
    }


@dataclass(frozen=True, slots=True)
class FormFields:
    """The content of the input form: texts with line feeds, tags on one line, an ISO date or nothing."""

    title: str = ""
    summary: str = ""
    content: str = ""
    tags: str = ""
    language: str = ""
    date: str = ""


def build_form_fields(article: Article | None) -> FormFields:
    if article is None:
        return FormFields()
    return FormFields(
        remove_line_ends(article["title"] or ""),
        normalize_line_ends(article["summary"] or ""),
        normalize_line_ends(article["content"] or ""),
        remove_line_ends(", ".join(article["tags"])),
        article["language"] or "",
        parse_day(article["date"] or ""),
    )


def apply_form_fields(fields: FormFields, before: Article) -> Article:
    """Apply the form's content to an article; unchanged fields stay byte for byte."""
    fields_before = build_form_fields(before)
    language = fields.language if fields.language in LANGUAGES else None
    return {
        **before,
        "title": before["title"] if fields.title == fields_before.title else fields.title or None,
        "summary": _apply_text_field(before["summary"], fields_before.summary, fields.summary),
        "content": _apply_text_field(before["content"], fields_before.content, fields.content),
        "tags": before["tags"] if fields.tags == fields_before.tags else split_tags(fields.tags),
        "language": language,
        "date": before["date"] if fields.date == fields_before.date else fields.date or None,
    }


def parse_day(written: str) -> str:
    """Return the day of an ISO timestamp or of a date as in e-mail, as ``2025-06-17``; empty for others."""
    for parse in (_parse_iso_day, _parse_mail_day):
        try:
            day = parse(written)
        except ValueError:
            continue
        return day.isoformat() if FIRST_DATE <= day <= LAST_DATE else ""
    return ""


def _parse_iso_day(written: str) -> date:
    return date.fromisoformat(written[:10])


def _parse_mail_day(written: str) -> date:
    return parsedate_to_datetime(written).date()


def remove_line_ends(text: str) -> str:
    """Remove line ends, as a one-line text box does."""
    return normalize_line_ends(text).replace("\n", "")


def _apply_text_field(before: str | None, box_before: str, box_after: str) -> str | None:
    if box_after == box_before:
        return before
    return (box_after if before is None else restore_line_ends(before, box_after)) or None
