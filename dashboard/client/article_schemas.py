"""Defines an article as the service sends and receives it. No I/O."""

from typing import TypeAlias

from backend.articles.schemas import ArticleOut

Article: TypeAlias = ArticleOut


def build_blank_article() -> Article:
    return {
        "id": None,
        "title": None,
        "summary": None,
        "content": None,
        "tags": [],
        "source": None,
        "language": None,
    }
