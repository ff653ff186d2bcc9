"""Implements the operations behind the article endpoints."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from backend.articles import violation_counts, violation_store
from backend.articles.process_pool import ScanPool
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.rules_response import RulesResponseCache
from backend.articles.schemas import Article, Violation
from backend.articles.violation_store import NUL, ViolationFilter
from backend.errors import BadRequest, FieldError
from backend.formats.timestamps import Clock, utc_now
from backend.settings import Settings
from backend.store.database import Database


@dataclass(frozen=True, slots=True)
class JsonResults:
    """A JSON array of results, and the version of the rules that gave them."""

    body: bytes
    rules_version: str


class ArticleService:
    """Scans and corrects articles with the active rules, and reads stored violations. One per process."""

    def __init__(self, settings: Settings, database: Database, *, now: Clock = utc_now) -> None:
        self._database = database
        self._now = now
        self.rules = ActiveRules(settings, write_cache=True)
        self.rules_response = RulesResponseCache(self.rules)
        self.pool = ScanPool(settings, self.rules)

    def scan(self, articles: Sequence[Article], *, persist: bool) -> JsonResults:
        """Scan each article. With ``persist``, the violations are on disk when this returns.

        Raises :class:`BadRequest` if an article's id cannot be stored.
        """
        if persist:
            _require_storable_ids(articles)
        rules = self.rules.current
        batch = self.pool.run("scan", rules, articles)
        if persist:
            self._store(batch.violations, rules.version)
        return JsonResults(b"[" + batch.results + b"]", rules.version)

    def apply(self, articles: Sequence[Article]) -> JsonResults:
        """Correct each article with the safe corrections. Nothing is stored."""
        rules = self.rules.current
        batch = self.pool.run("apply", rules, articles)
        return JsonResults(b"[" + batch.results + b"]", rules.version)

    def violations(self, filters: ViolationFilter, *, limit: int, cursor: str | None) -> bytes:
        _require_ordered_range(filters)
        return orjson.dumps(violation_store.load_page(self._database, filters, limit=limit, cursor=cursor))

    def violation_summary(self, filters: ViolationFilter) -> bytes:
        _require_ordered_range(filters)
        return orjson.dumps(violation_counts.load_summary(self._database, filters))

    def close(self) -> None:
        self.pool.close()

    def _store(self, found: Sequence[Violation], rules_version: str) -> None:
        if not found:
            return
        with self._database.write() as connection:
            violation_store.store(connection, found, rules_version=rules_version, now=self._now())


def _require_storable_ids(articles: Sequence[Article]) -> None:
    errors: list[FieldError] = [
        {
            "loc": ["body", "articles", index, "id"],
            "msg": "Must not contain U+0000, which cannot be stored; send another id, or persist: false",
            "type": "string_nul",
        }
        for index, article in enumerate(articles)
        if article.id is not None and NUL in article.id
    ]
    _raise_errors(errors)


def _require_ordered_range(filters: ViolationFilter) -> None:
    if filters.from_ is not None and filters.to is not None and filters.from_ > filters.to:
        _raise_errors(
            [{"loc": ["query", "from"], "msg": "Must not be later than 'to'", "type": "range_backwards"}]
        )


def _raise_errors(errors: Sequence[FieldError]) -> None:
    if not errors:
        return
    location = ".".join(str(part) for part in errors[0]["loc"])
    more = f" {len(errors) - 1} more in errors." if len(errors) > 1 else ""
    raise BadRequest(f"{location}: {errors[0]['msg']}.{more}", errors=errors)
