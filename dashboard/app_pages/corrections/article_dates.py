"""Finds the date of an article and its origin, as the service does. No side effects."""

from datetime import date
from typing import Literal, NamedTuple

from backend.articles.text.article_date import locate_article_date
from dashboard.app_pages.corrections.article_files import TEXT_FORMATS, ArticleFile
from dashboard.client.article_schemas import Article

Origin = Literal["field", "front_matter", "file_name", "id", "text", "unknown"]
"""``id`` is the article's id or its source, if these are not from the name of its file."""


class ArticleDate(NamedTuple):
    """The date of an article; None if its origin is unknown."""

    day: date | None
    origin: Origin

    @property
    def iso(self) -> str:
        return self.day.isoformat() if self.day else ""


def find_date(article: Article, file: ArticleFile | None = None) -> ArticleDate:
    """Find the date that the service judges former names by. ``file`` is where the article comes from."""
    texts = (article["title"], article["summary"], article["content"])
    located = locate_article_date(article["date"], (article["id"], article["source"]), texts)
    if located is None:
        return ArticleDate(None, "unknown")
    if located.origin == "name":
        return ArticleDate(located.day, "file_name" if file and file.kind in TEXT_FORMATS else "id")
    return ArticleDate(located.day, located.origin)
