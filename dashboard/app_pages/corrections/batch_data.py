"""Many articles at once: requests of a size that the service takes, and what came of each article. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import orjson

from backend.articles.schemas import MAX_ARTICLES, ApplyResult, ScanResult
from dashboard.app_pages.corrections.article_edits import texts
from dashboard.app_pages.corrections.findings import Counts, count, findings
from dashboard.client.article_schemas import Article
from dashboard.frame.csv_export import build_csv

MOST_BYTES = 4 * 1024 * 1024
"""A request's body: half of what the service takes, so that an answer comes before patience ends."""

COUNTED = ("error", "warning", "info", "safe", "approval")


@dataclass(frozen=True, slots=True)
class Row:
    """One article of a batch: its number from 1, how it is called, and what was found."""

    number: int
    name: str
    language: str | None
    length: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class Checked:
    """A batch after the scan, with each article as it is with the safe corrections made."""

    articles: tuple[Article, ...]
    scans: tuple[ScanResult, ...]
    applied: tuple[ApplyResult, ...]
    rules_version: str

    @property
    def corrected(self) -> list[Article]:
        return [result["corrected_article"] for result in self.applied]


def chunks(articles: Sequence[Article]) -> Iterator[Sequence[Article]]:
    """The articles in order, parted so that each part is one request.

    An article that is too large by itself makes a part of its own: the service says so then.
    """
    part: list[Article] = []
    size = 0
    for article in articles:
        own = len(orjson.dumps(article)) + 1
        if part and (len(part) == MAX_ARTICLES or size + own > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(article)
        size += own
    if part:
        yield part


def name(article: Article, number: int) -> str:
    """The title, or the beginning of what text there is, or the id."""
    for text in (article["title"], article["summary"], article["content"], article["id"]):
        line = next((line for line in (text or "").splitlines() if line.strip()), "")
        if line:
            return line.strip()[:120]
    return f"#{number}"


def rows(checked: Checked) -> list[Row]:
    found = [findings(scan) for scan in checked.scans]
    return [
        Row(
            number,
            name(article, number),
            article["language"] or next((one.language for one in mine), None),
            sum(map(len, texts(article).values())),
            count(mine),
        )
        for number, (article, mine) in enumerate(zip(checked.articles, found, strict=True), 1)
    ]


def total(found: Sequence[Row]) -> Counts:
    return Counts(*(sum(getattr(row.counts, name) for row in found) for name in Counts.__dataclass_fields__))


def summary_csv(found: Sequence[Row]) -> bytes:
    """The table of a batch for a spreadsheet."""
    rows = [
        {
            "number": row.number,
            "article": row.name,
            "language": row.language,
            "characters": row.length,
            **asdict(row.counts),
        }
        for row in found
    ]
    fields = ("number", "article", "language", "characters", *COUNTED)
    return build_csv(rows, fields, ("article",))
