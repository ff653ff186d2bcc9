"""An article as it goes to the service and comes from it. Pure."""

from typing import TypeAlias

from backend.articles.schemas import ArticleOut

Article: TypeAlias = ArticleOut


def blank_article() -> Article:
    return {
        "id": None,
        "title": None,
        "summary": None,
        "content": None,
        "tags": [],
        "source": None,
        "language": None,
    }
