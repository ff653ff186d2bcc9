"""Calls to the article endpoints."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from urllib.parse import quote, urlencode

from backend.articles.schemas import (
    ApplyResult,
    ArticleOut,
    ScanResult,
    StoredViolation,
    ViolationPage,
    ViolationSummary,
)
from dashboard.client import api
from dashboard.client.fetched import Fetched
from dashboard.client.post_requests import Posted, post

__all__ = [
    "ApplyResult",
    "Former",
    "RuleBook",
    "RuleEntity",
    "RuleFacts",
    "ScanResult",
    "StoredViolation",
    "ViolationPage",
    "ViolationSummary",
    "apply",
    "rules",
    "rules_version",
    "scan",
    "violation_summary",
    "violations",
]

TIMEOUT_SECONDS = 60.0
"""For the largest batch on a busy machine; an ordinary article takes milliseconds."""
BOOK_SECONDS = 3600.0
"""How long a set of rules is kept: its address holds its version, so it cannot grow old."""
VERSION_HEADER = "x-rules-version"


class Former(TypedDict):
    name: str
    until: str | None


class RuleEntity(TypedDict):
    id: str
    type: str
    names: dict[str, str]
    former: list[Former]
    official_domains: list[str]


class RuleFacts(TypedDict):
    id: str
    type: str
    severity: str
    suggest: str | dict[str, str] | list[str]
    note: str | None
    notes: dict[str, str]
    """The note by language; empty where there is one for all."""
    source: str | None
    derived: bool


class RuleBook(TypedDict):
    """All rules and the entities that they are about; only what this dashboard reads of them."""

    version: str
    entities: list[RuleEntity]
    rules: list[RuleFacts]


def scan(articles: Sequence[ArticleOut], *, persist: bool) -> Posted[list[ScanResult]]:
    """What is wrong in each article, in their order; stored only when ``persist`` says so."""
    body = {"articles": articles, "persist": persist}
    return post(api.client(), "/articles/scan", body, timeout=TIMEOUT_SECONDS)


def apply(articles: Sequence[ArticleOut]) -> Posted[list[ApplyResult]]:
    """Each article with the corrections that need nobody's approval."""
    return post(api.client(), "/articles/apply", {"articles": articles}, timeout=TIMEOUT_SECONDS)


def rules_version(answer: Posted[Any]) -> str:
    """The version of the rules that made an answer; empty when it does not say."""
    return answer.headers.get(VERSION_HEADER, "")


def rules(version: str = "") -> Fetched[RuleBook]:
    """The set of rules; kept by its version, so that it is asked for once."""
    if version:
        path = f"/articles/rules?version={quote(version, safe='')}"
        return api.client().get(path, "object", lifetime=BOOK_SECONDS)
    return api.client().get("/articles/rules", "object", lifetime=api.SLOW_SECONDS)


def violations(
    filters: Mapping[str, str], *, limit: int, cursor: str | None = None
) -> Fetched[ViolationPage]:
    """Stored violations, newest first."""
    query = {**filters, "limit": str(limit), **({"cursor": cursor} if cursor else {})}
    return api.client().get(f"/articles/violations?{urlencode(query)}", "object")


def violation_summary(filters: Mapping[str, str]) -> Fetched[ViolationSummary]:
    """How many there are by each of their traits and by day."""
    query = f"?{urlencode(filters)}" if filters else ""
    return api.client().get(f"/articles/violations/summary{query}", "object")
