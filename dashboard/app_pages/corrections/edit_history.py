"""What lies before the editor: every state of an article since it was opened, and the way back. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from backend.articles.schemas import ScanResult
from dashboard.app_pages.corrections import text_diff
from dashboard.app_pages.corrections.article_edits import Edits, displayed, reconciled, split_tags, texts
from dashboard.app_pages.corrections.article_files import Opened
from dashboard.app_pages.corrections.findings import Decisions, Finding, approved_edits, carried, findings
from dashboard.app_pages.corrections.text_diff import Pieces
from dashboard.client.article_schemas import Article

MOST_STEPS = 50

Done = Literal["checked", "edited", "safe", "approved"]
"""What made a state out of the one before it."""


@dataclass(frozen=True, slots=True)
class Step:
    """An article, what was found in it, and what was decided there.

    ``pieces`` tell each field's text by that of ``original``, which the editor began with. The first
    ``settled`` decisions were brought along from the step before. ``made`` counts the edits that led here.
    """

    number: int
    done: Done
    article: Article
    original: Article
    pieces: Mapping[str, Pieces]
    findings: tuple[Finding, ...]
    rules_version: str
    decisions: Decisions = field(default_factory=dict)
    settled: int = 0
    made: int = 0
    source: Opened | None = None
    """The file that the article came from."""
    row: int | None = None
    """Its place in that file's batch, from 0."""

    @property
    def language(self) -> str | None:
        """As chosen, or as the service found out where it found anything."""
        return self.article["language"] or next((one.language for one in self.findings), None)

    @property
    def proposed(self) -> dict[str, Pieces]:
        """Each field's text as it is with what was approved and is not applied yet."""
        edits = approved_edits(self.article, self.findings, self.decisions)
        return {name: text_diff.compose(made, edits.get(name, ())) for name, made in self.pieces.items()}

    @property
    def changed(self) -> bool:
        return self.article != self.original


class Desk:
    """The steps of one article and the one that is shown. Numbers are never used twice."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.at = -1
        self._numbers = 0

    @property
    def step(self) -> Step | None:
        return self.steps[self.at] if self.steps else None

    @property
    def can_undo(self) -> bool:
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        return self.at < len(self.steps) - 1

    def checked(
        self,
        article: Article,
        scan: ScanResult,
        rules_version: str,
        source: Opened | None = None,
        row: int | None = None,
    ) -> Step:
        """An article as it was given, with what was found in it: another one begins."""
        whole = {name: text_diff.untouched(text) for name, text in texts(article).items()}
        return self._push(
            Step(0, "checked", article, article, whole, findings(scan), rules_version, source=source, row=row)
        )

    def changed(
        self,
        done: Done,
        article: Article,
        edits: Edits,
        scan: ScanResult,
        rules_version: str,
        source: Opened | None = None,
    ) -> Step:
        """The shown step's article after ``edits``, scanned again; decisions that still stand stay."""
        before = self.steps[self.at]
        pieces = {
            name: text_diff.compose(before.pieces.get(name, ()), edits.get(name, ()))
            for name in {**before.pieces, **edits}
        }
        original = before.original
        if len(article["tags"]) != len(before.article["tags"]):  # other tags, which begin as they are
            original = {**original, "tags": article["tags"]}
            tags = {f"tags[{n}]": text_diff.untouched(tag) for n, tag in enumerate(article["tags"])}
            pieces = {name: made for name, made in pieces.items() if not name.startswith("tags")} | tags
        after = findings(scan)
        kept = carried(before.findings, before.decisions, edits, after)
        return self._push(
            replace(
                before,
                done=done,
                article=article,
                original=original,
                pieces=pieces,
                findings=after,
                rules_version=rules_version,
                decisions=kept,
                settled=len(kept),
                made=sum(map(len, edits.values())),
                source=source or before.source,
            )
        )

    def renewed(self, scan: ScanResult, rules_version: str) -> Step:
        """The shown step with what is found in its article now: nothing to undo."""
        before = self.steps[self.at]
        after = findings(scan)
        kept = carried(before.findings, before.decisions, {}, after)
        self._numbers += 1
        step = replace(
            before,
            number=self._numbers,
            findings=after,
            rules_version=rules_version,
            decisions=kept,
            settled=0,
        )
        self.steps[self.at] = step
        return step

    def keep(self, number: int, decisions: Decisions, *, new: bool) -> None:
        """Note what was decided on the findings of step ``number``, if that is still the one shown.

        ``new``: something was decided, and not merely taken back or restored; what lay ahead is gone then.
        """
        step = self.step
        if step is None or step.number != number:
            return
        known = {n: one for n, one in decisions.items() if 0 <= n < len(step.findings)}
        settled = 0
        for mine, theirs in zip(list(step.decisions.items())[: step.settled], known.items(), strict=False):
            if mine != theirs:
                break
            settled += 1
        self.steps[self.at] = replace(step, decisions=known, settled=settled)
        if new:
            del self.steps[self.at + 1 :]

    def undo(self) -> None:
        self.at = max(0, self.at - 1) if self.steps else -1

    def redo(self) -> None:
        self.at = min(len(self.steps) - 1, self.at + 1)

    def _push(self, step: Step) -> Step:
        """Show a state that follows the one shown; what lay ahead is gone."""
        self._numbers += 1
        numbered = replace(step, number=self._numbers)
        self.steps = [*self.steps[: self.at + 1], numbered][-MOST_STEPS:]
        self.at = len(self.steps) - 1
        return numbered


@dataclass(frozen=True, slots=True)
class Boxes:
    """What the input boxes hold: text as a browser shows it, tags on one line."""

    title: str = ""
    summary: str = ""
    content: str = ""
    tags: str = ""
    language: str = ""


def boxes(article: Article | None) -> Boxes:
    if article is None:
        return Boxes()
    return Boxes(
        one_line(article["title"] or ""),
        displayed(article["summary"] or ""),
        displayed(article["content"] or ""),
        one_line(", ".join(article["tags"])),
        article["language"] or "",
    )


def from_boxes(shown: Boxes, before: Article) -> Article:
    """The article that the boxes hold now. Where a box is as it was, the field is byte for byte as before."""
    was = boxes(before)
    language = shown.language if shown.language in ("en", "ja", "zh") else None
    return {
        **before,
        "title": before["title"] if shown.title == was.title else shown.title or None,
        "summary": _field(before["summary"], was.summary, shown.summary),
        "content": _field(before["content"], was.content, shown.content),
        "tags": before["tags"] if shown.tags == was.tags else split_tags(shown.tags),
        "language": language,
    }


def one_line(text: str) -> str:
    """As a one-line text box holds it, which drops line ends."""
    return displayed(text).replace("\n", "")


def _field(before: str | None, was: str, shown: str) -> str | None:
    if shown == was:
        return before
    return (shown if before is None else reconciled(before, shown)) or None
