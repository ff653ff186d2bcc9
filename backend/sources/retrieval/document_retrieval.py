"""Bringing documents together for claims: out of the store, from other engines, and off the web."""

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from backend.documents.model import Document, Hit
from backend.documents.store import DocumentStore
from backend.entities.model import Language
from backend.formats.timestamps import Clock
from backend.sources.authority import Authorities
from backend.sources.providers import SearchFailed, SearchProvider
from backend.sources.retrieval.query_planning import Plan
from backend.sources.retrieval.web_pages import Page, PageFailed, Pages
from backend.store import response_cache
from backend.store.database import Database

log = structlog.get_logger(__name__)

HITS = 20
"""Documents of the store that are looked at for a claim."""
RESULTS = 10
"""Results that each provider is asked for."""
MOST_PAGES = 8
"""Pages that a job reads at the most."""
AT_ONCE = 4
SEARCH_KEPT_FOR = timedelta(hours=6)
FAILURE_KEPT_FOR = timedelta(minutes=10)


@dataclass(slots=True)
class Round:
    """What one round of search brought; plain data, so that it can be recorded."""

    urls: list[str] = field(default_factory=list)
    count: int = 0
    failed: list[str] = field(default_factory=list)
    """Sentences of providers that did not answer."""


@dataclass(slots=True)
class Read:
    """What came of reading pages; plain data, so that it can be recorded."""

    documents: dict[str, str] = field(default_factory=dict)
    """External id of the stored page by the address that was asked for."""
    failed: dict[str, str] = field(default_factory=dict)
    """A sentence by address."""


class Gatherer:
    """Gathers for one process. ``pages`` is None where no network may be touched."""

    def __init__(
        self,
        database: Database,
        store: DocumentStore,
        providers: Sequence[SearchProvider],
        pages: Pages | None,
        *,
        now: Clock,
    ) -> None:
        self._database = database
        self._store = store
        self._providers = providers
        self._pages = pages
        self._now = now

    @property
    def reaches_out(self) -> bool:
        return bool(self._providers) and self._pages is not None

    @property
    def reads_pages(self) -> bool:
        return self._pages is not None

    def local(self, queries: Sequence[Sequence[str]], language: Language) -> list[list[Hit]]:
        """The documents of the store that answer each query best, :data:`HITS` at the most.

        A query is the texts whose terms are asked for. A record that is told in several languages is read
        in ``language``, in which its words can be held against the statement's, with the score of the
        telling that answers best.
        """
        found = self._store.search_many(queries, limit=HITS)
        own = {name: _telling(name, language) for hits in found for name in _landmarks(hits)}
        tellings = {one.external_id: one for one in self._store.named("landmark", sorted({*own.values()}))}
        return [_in_own_language(hits, own, tellings) for hits in found]

    def stored(self, external_ids: Sequence[str]) -> list[Document]:
        """Pages that were read before, by the names that :meth:`read` gave."""
        return self._store.named("page", external_ids) if external_ids else []

    def elsewhere(self, plans: Sequence[Plan], round_number: int) -> Round:
        """What the providers know: the refined query in round 1, one official site more in each later one."""
        asked = (
            [(plan.refined, None) for plan in plans] if round_number == 1 else _by_site(plans, round_number)
        )
        brought = Round()
        for provider in self._providers:
            for query, site in asked:
                self._ask(provider, query, site, brought)
        brought.urls = list(dict.fromkeys(brought.urls))
        brought.failed = list(dict.fromkeys(brought.failed))
        return brought

    def read(self, urls: Sequence[str], authorities: Authorities, *, seconds: float) -> Read:
        """Read pages, several at once and each within ``seconds``, and store what they say."""
        if self._pages is None or not urls:
            return Read()
        pages = self._pages
        found, documents = Read(), []
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="page") as pool:
            for url, outcome in zip(
                urls, pool.map(lambda url: _outcome(pages, url, seconds), urls), strict=True
            ):
                if isinstance(outcome, str):
                    found.failed[url] = outcome
                else:
                    document = as_document(outcome, authorities)
                    documents.append(document)
                    found.documents[url] = document.external_id
        if documents:
            self._store.store(documents, now=self._now())
        return found

    def close(self) -> None:
        for provider in self._providers:
            provider.close()

    def _ask(self, provider: SearchProvider, query: str, site: str | None, brought: Round) -> None:
        key = response_cache.key_of("search", provider.name, query, site, RESULTS)
        known: Any = response_cache.find(self._database, key, now=self._now())
        if known is None:
            known = self._answer(provider, query, site)
            keep_for = FAILURE_KEPT_FOR if "failed" in known else SEARCH_KEPT_FOR
            response_cache.keep(self._database, key, "search", known, keep_for=keep_for, now=self._now())
        if "failed" in known:
            brought.failed.append(known["failed"])
            return
        brought.count += len(known["urls"])
        brought.urls += known["urls"]

    @staticmethod
    def _answer(provider: SearchProvider, query: str, site: str | None) -> dict[str, Any]:
        try:
            urls = provider.search(query, limit=RESULTS, site=site)
        except SearchFailed as failure:
            log.warning("search_failed", provider=provider.name, reason=failure.message)
            return {"failed": failure.message}
        return {"urls": urls}


def as_document(page: Page, authorities: Authorities) -> Document:
    """A page that was read, as the store keeps it."""
    return Document(
        kind="page",
        external_id=external_id(page.url),
        url=page.url,
        urls=(page.url,),
        title=page.title,
        text=page.text,
        published_at=datetime.fromisoformat(page.published).replace(tzinfo=UTC) if page.published else None,
        date_precision="day" if page.published else None,
        source_type=authorities.classify(page.url).source_type,
    )


def external_id(url: str) -> str:
    """The name of a page in the store: its address, or a digest of one that is too long."""
    return url if len(url) <= 150 else f"{url[:80]}…{hashlib.sha256(url.encode()).hexdigest()}"


def _landmarks(hits: Sequence[Hit]) -> list[str]:
    return [hit.document.external_id for hit in hits if hit.document.kind == "landmark"]


def _telling(external_id: str, language: Language) -> str:
    """The name of the same landmark's document in another language."""
    return f"{external_id.rpartition(':')[0]}:{language}"


def _in_own_language(
    hits: Sequence[Hit], own: Mapping[str, str], tellings: Mapping[str, Document]
) -> list[Hit]:
    best: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        document = hit.document
        if document.kind == "landmark":
            document = tellings.get(own[document.external_id], document)
        name = document.kind, document.external_id
        if name not in best or best[name].score < hit.score:
            best[name] = Hit(document, hit.score)
    return list(best.values())


def _outcome(pages: Pages, url: str, seconds: float) -> Page | str:
    try:
        return pages.read(url, seconds=seconds)
    except PageFailed as failure:
        return failure.message


def _by_site(plans: Sequence[Plan], round_number: int) -> list[tuple[str, str | None]]:
    """Later rounds go to one official site each of those that the claims are about."""
    place = round_number - 2
    return [(plan.refined, plan.sites[place]) for plan in plans if place < len(plan.sites)]
