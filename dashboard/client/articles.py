"""Calls the article endpoints: scan, apply, rules and stored violations."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from urllib.parse import quote, urlencode

from backend.articles.schemas import (
    ApplyResult,
    ScanResult,
    StoredViolation,
    ViolationPage,
    ViolationSummary,
)
from dashboard.client import connection
from dashboard.client.article_schemas import Article
from dashboard.client.cache_entries import SLOW_LIFETIME_SECONDS
from dashboard.client.fetched import Fetched
from dashboard.client.post_requests import Posted, post

__all__ = [
    "ApplyResult",
    "FormerName",
    "RuleEntity",
    "RuleFacts",
    "RuleSet",
    "ScanResult",
    "StoredViolation",
    "ViolationPage",
    "ViolationSummary",
    "apply",
    "fetch_rules",
    "fetch_violation_summary",
    "fetch_violations",
    "get_rules_version",
    "scan",
]

TIMEOUT_SECONDS = 60.0
"""Enough for the largest batch on a busy machine; an ordinary article takes milliseconds."""
RULES_LIFETIME_SECONDS = 3600.0
"""The URL of a rule set contains its version, so a cached one is never outdated."""
VERSION_HEADER = "x-rules-version"


class FormerName(TypedDict):
    name: str
    until: str | None


class RuleEntity(TypedDict):
    id: str
    type: str
    names: dict[str, str]
    former: list[FormerName]
    official_domains: list[str]


class RuleFacts(TypedDict):
    id: str
    type: str
    severity: str
    suggest: str | dict[str, str] | list[str]
    note: str | None
    notes: dict[str, str]
    """The note by language; empty if ``note`` holds for all languages."""
    source: str | None
    derived: bool


class RuleSet(TypedDict):
    """All rules and their entities, limited to the fields that the dashboard reads."""

    version: str
    entities: list[RuleEntity]
    rules: list[RuleFacts]


def scan(
    articles: Sequence[Article], *, persist: bool, idempotency_key: str = ""
) -> Posted[list[ScanResult]]:
    """Scans articles and returns their results in the same order.

    ``persist`` stores the violations, but only once for the same ``idempotency_key``.
    """
    body = {"articles": articles, "persist": persist}
    return post(
        connection.get_client(),
        "/articles/scan",
        body,
        timeout=TIMEOUT_SECONDS,
        idempotency_key=idempotency_key,
    )


def apply(articles: Sequence[Article]) -> Posted[list[ApplyResult]]:
    """Applies the corrections that need no approval, and returns the corrected articles."""
    return post(connection.get_client(), "/articles/apply", {"articles": articles}, timeout=TIMEOUT_SECONDS)


def get_rules_version(response: Posted[Any]) -> str:
    """Returns the version of the rules behind a response; empty if it has no such header."""
    return response.headers.get(VERSION_HEADER, "")


def fetch_rules(version: str = "") -> Fetched[RuleSet]:
    """Fetches the rule set; with a version, once per version."""
    if version:
        path = f"/articles/rules?version={quote(version, safe='')}"
        return connection.get_client().get(path, "object", lifetime=RULES_LIFETIME_SECONDS)
    return connection.get_client().get("/articles/rules", "object", lifetime=SLOW_LIFETIME_SECONDS)


def fetch_violations(
    filters: Mapping[str, str], *, limit: int, cursor: str | None = None
) -> Fetched[ViolationPage]:
    """Fetches a page of stored violations, newest first."""
    query = {**filters, "limit": str(limit), **({"cursor": cursor} if cursor else {})}
    return connection.get_client().get(f"/articles/violations?{urlencode(query)}", "object")


def fetch_violation_summary(filters: Mapping[str, str]) -> Fetched[ViolationSummary]:
    """Fetches the counts of stored violations by field and by day."""
    query = f"?{urlencode(filters)}" if filters else ""
    return connection.get_client().get(f"/articles/violations/summary{query}", "object")
