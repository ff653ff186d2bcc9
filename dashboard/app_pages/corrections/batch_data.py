"""Splits a batch of articles into requests, and summarizes the results by article. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import orjson

from backend.articles.schemas import MAX_ARTICLES, ApplyResult, ScanResult
from dashboard.app_pages.corrections.article_dates import ArticleDate, find_date
from dashboard.app_pages.corrections.article_edits import list_texts
from dashboard.app_pages.corrections.findings import Counts, build_findings, count_findings
from dashboard.client.article_schemas import Article
from dashboard.frame.csv_export import build_csv

MAX_REQUEST_BYTES = 4 * 1024 * 1024
"""Half the service's limit of a request body, so that the response arrives before the timeout."""

COUNT_FIELDS = ("error", "warning", "info", "safe", "approval")


@dataclass(frozen=True, slots=True)
class Row:
    """An article of a batch: its number from 1, its name, and the counts of its findings."""

    number: int
    name: str
    language: str | None
    date: ArticleDate
    length: int
    counts: Counts


@dataclass(frozen=True, slots=True)
class CheckedBatch:
    """A batch after the scan, with each article after its safe corrections."""

    articles: tuple[Article, ...]
    scans: tuple[ScanResult, ...]
    applied: tuple[ApplyResult, ...]
    rules_version: str

    @property
    def corrected(self) -> list[Article]:
        return [
            {**article, **result["corrected_article"]}
            for article, result in zip(self.articles, self.applied, strict=True)
        ]


def split_requests(articles: Sequence[Article]) -> Iterator[Sequence[Article]]:
    """Split the articles, in order, into requests within the limits.

    An article that is too large alone gets its own request, which the service then rejects.
    """
    part: list[Article] = []
    size = 0
    for article in articles:
        article_bytes = len(orjson.dumps(article)) + 1
        if part and (len(part) == MAX_ARTICLES or size + article_bytes > MAX_REQUEST_BYTES):
            yield part
            part, size = [], 0
        part.append(article)
        size += article_bytes
    if part:
        yield part


def name_article(article: Article, number: int) -> str:
    """Name an article by its title, the first line of its text, its id, or its number."""
    for text in (article["title"], article["summary"], article["content"], article["id"]):
        line = next((line for line in (text or "").splitlines() if line.strip()), "")
        if line:
            return line.strip()[:120]
    return f"#{number}"


def build_rows(checked: CheckedBatch) -> list[Row]:
    results = [build_findings(scan) for scan in checked.scans]
    return [
        Row(
            number,
            name_article(article, number),
            article["language"] or next((finding.language for finding in article_findings), None),
            find_date(article),
            sum(map(len, list_texts(article).values())),
            count_findings(article_findings),
        )
        for number, (article, article_findings) in enumerate(zip(checked.articles, results, strict=True), 1)
    ]


def sum_counts(rows: Sequence[Row]) -> Counts:
    names = Counts.__dataclass_fields__
    return Counts(*(sum(getattr(row.counts, name) for row in rows) for name in names))


def build_summary_csv(rows: Sequence[Row]) -> bytes:
    """Write the table of a batch as CSV for spreadsheets."""
    records = [
        {
            "number": row.number,
            "article": row.name,
            "language": row.language,
            "characters": row.length,
            "date": row.date.iso,
            **asdict(row.counts),
        }
        for row in rows
    ]
    fields = ("number", "article", "language", "characters", "date", *COUNT_FIELDS)
    return build_csv(records, fields, ("article",))
