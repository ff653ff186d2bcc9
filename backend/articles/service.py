"""The verbs of the article domain, as endpoints call them."""

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
    """An array of results as JSON, and by which set of rules."""

    body: bytes
    rules_version: str


class ArticleService:
    """Reads articles by the rules in force, for one process."""

    def __init__(self, settings: Settings, database: Database, *, now: Clock = utc_now) -> None:
        self._database = database
        self._now = now
        self.rules = ActiveRules(settings, keep=True)
        self.rules_answer = RulesResponseCache(self.rules)
        self.pool = ScanPool(settings, self.rules)

    def scan(self, articles: Sequence[Article], *, persist: bool) -> JsonResults:
        """One result for each article; with ``persist`` the violations are on the disk when this returns.

        Raises :class:`BadRequest` for an article id that cannot be stored.
        """
        if persist:
            _refuse_unstorable(articles)
        rules = self.rules.current
        done = self.pool.run("scan", rules, articles)
        if persist:
            self._store(done.violations, rules.version)
        return JsonResults(b"[" + done.results + b"]", rules.version)

    def apply(self, articles: Sequence[Article]) -> JsonResults:
        """The same with the safe corrections made; nothing is stored."""
        rules = self.rules.current
        done = self.pool.run("apply", rules, articles)
        return JsonResults(b"[" + done.results + b"]", rules.version)

    def violations(self, wanted: ViolationFilter, *, limit: int, cursor: str | None) -> bytes:
        _refuse_backwards(wanted)
        return orjson.dumps(violation_store.page(self._database, wanted, limit=limit, cursor=cursor))

    def violation_summary(self, wanted: ViolationFilter) -> bytes:
        _refuse_backwards(wanted)
        return orjson.dumps(violation_counts.summary(self._database, wanted))

    def close(self) -> None:
        self.pool.close()

    def _store(self, found: Sequence[Violation], rules_version: str) -> None:
        if not found:
            return
        with self._database.write() as connection:
            violation_store.record(connection, found, rules_version=rules_version, now=self._now())


def _refuse_unstorable(articles: Sequence[Article]) -> None:
    faults: list[FieldError] = [
        {
            "loc": ["body", "articles", index, "id"],
            "msg": "Holds U+0000, which cannot be stored; send another id, or persist: false",
            "type": "string_nul",
        }
        for index, article in enumerate(articles)
        if article.id is not None and NUL in article.id
    ]
    _refuse(faults)


def _refuse_backwards(wanted: ViolationFilter) -> None:
    if wanted.from_ is not None and wanted.to is not None and wanted.from_ > wanted.to:
        _refuse([{"loc": ["query", "from"], "msg": "Is later than 'to'", "type": "range_backwards"}])


def _refuse(faults: Sequence[FieldError]) -> None:
    if not faults:
        return
    where = ".".join(str(part) for part in faults[0]["loc"])
    more = f" {len(faults) - 1} more in errors." if len(faults) > 1 else ""
    raise BadRequest(f"{where}: {faults[0]['msg']}.{more}", errors=faults)
