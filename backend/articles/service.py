"""Implements the operations behind the article endpoints."""

from collections.abc import Sequence
from uuid import uuid4

import orjson

from backend.articles import repeated_scans, violation_counts, violation_store
from backend.articles.batches import BatchOperation, JsonResults
from backend.articles.process_pool import ScanPool
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.rules_response import RulesResponseCache
from backend.articles.schemas import Article, Violation
from backend.articles.violation_store import NUL, ViolationFilter
from backend.errors import BadRequest, FieldError
from backend.formats.timestamps import Clock, utc_now
from backend.jobs.idempotency import Submission, bind_key, find_earlier
from backend.settings import Settings
from backend.store.database import Database


class ArticleService:
    """Scans and corrects articles with the active rules, and reads stored violations. One per process."""

    def __init__(self, settings: Settings, database: Database, *, now: Clock = utc_now) -> None:
        self._database = database
        self._now = now
        self.rules = ActiveRules(settings, write_cache=True)
        self.rules_response = RulesResponseCache(self.rules)
        self.pool = ScanPool(settings, self.rules)

    def scan(self, articles: Sequence[Article]) -> JsonResults:
        """Scan each article. Nothing is stored."""
        return self._run("scan", articles)[0]

    def scan_and_store(
        self, articles: Sequence[Article], *, owner: str, idempotency_key: str | None
    ) -> JsonResults:
        """Scan each article. The violations of ``owner`` are on disk when this returns.

        The same articles with the same key return the first results within 24 hours, and nothing is stored.
        Raises :class:`BadRequest` if an article's id cannot be stored, and
        :class:`~backend.errors.Conflict` if the key was used with another body.
        """
        _require_storable_ids(articles)
        submission = None
        if idempotency_key is not None:
            submission = Submission(owner, idempotency_key, repeated_scans.compute_scan_digest(articles))
            with self._database.read() as connection:
                earlier = find_earlier(connection, submission, now=self._now())
            if earlier is not None:
                return repeated_scans.unpack_answer(earlier.answer, articles)
        results, found = self._run("scan", articles)
        if not found and submission is None:
            return results
        scan_id, version, now = str(uuid4()), results.rules_version, self._now()
        answer = None if submission is None else repeated_scans.pack_answer(results)
        with self._database.write() as connection:
            if submission is not None:
                earlier = bind_key(connection, submission, scan_id, answer=answer, now=now)
                if earlier is not None:  # the same request, sent at the same time
                    return repeated_scans.unpack_answer(earlier.answer, articles)
            violation_store.store(
                connection, found, owner=owner, scan_id=scan_id, rules_version=version, now=now
            )
        return results

    def apply(self, articles: Sequence[Article]) -> JsonResults:
        """Correct each article with the safe corrections. Nothing is stored."""
        return self._run("apply", articles)[0]

    def violations(self, filters: ViolationFilter, *, limit: int, cursor: str | None) -> bytes:
        _require_ordered_range(filters)
        return orjson.dumps(violation_store.load_page(self._database, filters, limit=limit, cursor=cursor))

    def violation_summary(self, filters: ViolationFilter) -> bytes:
        _require_ordered_range(filters)
        return orjson.dumps(violation_counts.load_summary(self._database, filters))

    def close(self) -> None:
        self.pool.close()

    def _run(
        self, operation: BatchOperation, articles: Sequence[Article]
    ) -> tuple[JsonResults, list[Violation]]:
        rules = self.rules.current
        batch = self.pool.run(operation, rules, articles)
        return JsonResults(b"[" + batch.results + b"]", rules.version), batch.violations


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
