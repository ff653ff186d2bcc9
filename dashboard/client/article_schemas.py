"""Defines an article as the service sends and receives it. No I/O."""

from backend.articles.schemas import ArticleOut


class Article(ArticleOut):
    """An article with what a request says about it, which responses do not repeat."""

    date: str | None
    """Date of publication; null if the service is to look for one in the text."""
    accept: list[str]
    """Texts that stay as they are written."""


def build_blank_article() -> Article:
    return {
        "id": None,
        "title": None,
        "summary": None,
        "content": None,
        "tags": [],
        "source": None,
        "language": None,
        "date": None,
        "accept": [],
    }
