"""Retrieves documents for claims from the store, search providers and web pages."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from backend.documents.model import Document, Hit, SourceType
from backend.documents.store import DocumentStore
from backend.entities.model import LANGUAGES, Language
from backend.formats.timestamps import Clock
from backend.sources.authority import Authorities
from backend.sources.providers import SearchFailed, SearchProvider
from backend.sources.retrieval.query_planning import Plan
from backend.sources.retrieval.web_pages import FAILURE_CACHE_TIME, Page, PageFailed, PageReader
from backend.store import response_cache
from backend.store.database import Database

log = structlog.get_logger(__name__)

MAX_STORE_HITS = 20
"""Maximum number of stored documents that are scored for each claim."""
RESULTS_PER_QUERY = 10
"""Maximum number of results requested from each provider."""
MAX_PAGES_PER_JOB = 8
PAGE_THREADS = 4
MAX_EXTERNAL_ID_URL_CHARS = 150
UNTRUSTED_SOURCE_TYPES: frozenset[SourceType] = frozenset({"unknown", "social", "blog"})
"""Pages of these types are evidence for one job only. Searches leave out stored ones."""
SEARCH_CACHE_TIME = timedelta(hours=6)


@dataclass(slots=True)
class SearchRound:
    """Results of one search round."""

    urls: list[str] = field(default_factory=list)
    result_count: int = 0
    """Number of results before duplicates are removed."""
    errors: list[str] = field(default_factory=list)
    """Error sentences of the providers that failed."""

    @classmethod
    def from_step(cls, step: dict[str, Any]) -> "SearchRound":
        """Restore a round that the job engine recorded."""
        return cls(step["urls"], step["count"], step["failed"])

    def to_step(self) -> dict[str, Any]:
        """Return the plain data that the job engine records."""
        return {"urls": self.urls, "count": self.result_count, "failed": self.errors}


@dataclass(slots=True)
class PageReads:
    """Pages read, and the errors of those that could not be read."""

    page_ids: dict[str, str] = field(default_factory=dict)
    """External ids of the pages read, by requested URL."""
    job_only_pages: list[dict[str, str | None]] = field(default_factory=list)
    """Pages that are evidence for this job only; see :class:`Page` for the fields."""
    errors: dict[str, str] = field(default_factory=dict)
    """Error sentences by URL."""

    @classmethod
    def from_step(cls, step: dict[str, Any]) -> "PageReads":
        """Restore the pages that the job engine recorded."""
        return cls(step["documents"], step["own_pages"], step["failed"])

    def to_step(self) -> dict[str, Any]:
        """Return the plain data that the job engine records."""
        return {"documents": self.page_ids, "own_pages": self.job_only_pages, "failed": self.errors}


class DocumentRetriever:
    """Retrieves documents for one process. ``page_reader`` is None in modes without network access."""

    def __init__(
        self,
        database: Database,
        store: DocumentStore,
        providers: Sequence[SearchProvider],
        page_reader: PageReader | None,
        *,
        now: Clock,
    ) -> None:
        self._database = database
        self._store = store
        self._providers = providers
        self._page_reader = page_reader
        self._now = now

    @property
    def can_search_web(self) -> bool:
        return bool(self._providers) and self._page_reader is not None

    @property
    def can_read_pages(self) -> bool:
        return self._page_reader is not None

    def search_store(
        self, queries: Sequence[Sequence[str]], language: Language
    ) -> tuple[list[list[Hit]], dict[str, str]]:
        """Find the best stored documents for each query, up to :data:`MAX_STORE_HITS`.

        A query is a list of texts; their terms are searched. A landmark that exists in several languages is
        returned in ``language``, so that its words are comparable with the statement's. It has the score
        of its best match in any language. The second value maps each event found to its title and text in
        all languages, joined, so that names in other scripts can be matched.
        """
        hits_by_query = [
            [
                hit
                for hit in hits
                if hit.document.kind != "page" or hit.document.source_type not in UNTRUSTED_SOURCE_TYPES
            ]
            for hits in self._store.search_many(queries, limit=MAX_STORE_HITS)
        ]
        translation_ids = {
            external_id: _build_translation_id(external_id, language)
            for hits in hits_by_query
            for external_id in _list_landmark_ids(hits)
        }
        all_translation_ids = {
            _build_translation_id(external_id, other_language)
            for external_id in translation_ids
            for other_language in LANGUAGES
        }
        documents = self._store.load_documents("landmark", sorted(all_translation_ids))
        translations = {document.external_id: document for document in documents}
        texts: dict[str, str] = {}
        for document in documents:
            event = document.event or ""
            texts[event] = f"{texts.get(event, '')} {document.title} {document.text}"
        return [
            _replace_with_translations(hits, translation_ids, translations) for hits in hits_by_query
        ], texts

    def load_pages(self, external_ids: Sequence[str]) -> list[Document]:
        """Load stored pages by the external ids that :meth:`read_pages` returned."""
        return self._store.load_documents("page", external_ids) if external_ids else []

    def search_web(self, plans: Sequence[Plan], round_number: int) -> SearchRound:
        """Search with all providers.

        Round 1 sends the refined query of each claim. Each later round restricts it to the claim's next
        official site.
        """
        queries = (
            [(plan.refined, None) for plan in plans]
            if round_number == 1
            else _build_site_queries(plans, round_number)
        )
        search_round = SearchRound()
        for provider in self._providers:
            for query, site in queries:
                self._search(provider, query, site, search_round)
        search_round.urls = list(dict.fromkeys(search_round.urls))
        search_round.errors = list(dict.fromkeys(search_round.errors))
        return search_round

    def read_pages(
        self,
        urls: Sequence[str],
        host_classifier: Authorities,
        *,
        caller_urls: Collection[str],
        seconds: float,
    ) -> PageReads:
        """Read pages in parallel, each within ``seconds``.

        Pages of known hosts are stored for later jobs. Pages in ``caller_urls`` and pages of unknown hosts
        are used for this job only: otherwise one caller could plant evidence for all others.
        """
        if self._page_reader is None or not urls:
            return PageReads()
        page_reader = self._page_reader
        reads, documents = PageReads(), []
        with ThreadPoolExecutor(PAGE_THREADS, thread_name_prefix="page") as pool:
            for url, outcome in zip(
                urls, pool.map(lambda url: _read_page(page_reader, url, seconds), urls), strict=True
            ):
                if isinstance(outcome, str):
                    reads.errors[url] = outcome
                else:
                    document = build_document(outcome, host_classifier)
                    reads.page_ids[url] = document.external_id
                    if url not in caller_urls and host_classifier.classify(outcome.url).is_known:
                        documents.append(document)
                    else:
                        reads.job_only_pages.append(asdict(outcome))
        if documents:
            self._store.store(documents, now=self._now())
        return reads

    def close(self) -> None:
        for provider in self._providers:
            provider.close()

    def _search(
        self, provider: SearchProvider, query: str, site: str | None, search_round: SearchRound
    ) -> None:
        key = response_cache.key_of("search", provider.name, query, site, RESULTS_PER_QUERY)
        answer: Any = response_cache.find(self._database, key, now=self._now())
        if answer is None:
            answer = self._fetch_answer(provider, query, site)
            keep_for = FAILURE_CACHE_TIME if "failed" in answer else SEARCH_CACHE_TIME
            response_cache.keep(self._database, key, "search", answer, keep_for=keep_for, now=self._now())
        if "failed" in answer:
            search_round.errors.append(answer["failed"])
            return
        search_round.result_count += len(answer["urls"])
        search_round.urls += answer["urls"]

    @staticmethod
    def _fetch_answer(provider: SearchProvider, query: str, site: str | None) -> dict[str, Any]:
        try:
            urls = provider.search(query, limit=RESULTS_PER_QUERY, site=site)
        except SearchFailed as failure:
            log.warning("search_failed", provider=provider.name, reason=failure.message)
            return {"failed": failure.message}
        return {"urls": urls}


def build_document(page: Page, host_classifier: Authorities) -> Document:
    """Convert a page into the document that the store keeps."""
    return Document(
        kind="page",
        external_id=build_external_id(page.url),
        url=page.url,
        urls=(page.url,),
        title=page.title,
        text=page.text,
        published_at=datetime.fromisoformat(page.published).replace(tzinfo=UTC) if page.published else None,
        date_precision="day" if page.published else None,
        source_type=host_classifier.classify(page.url).source_type,
    )


def build_external_id(url: str) -> str:
    """Return the id of a page in the store: its URL, or the start and a hash of a long URL."""
    return (
        url
        if len(url) <= MAX_EXTERNAL_ID_URL_CHARS
        else f"{url[:80]}…{hashlib.sha256(url.encode()).hexdigest()}"
    )


def _list_landmark_ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.document.external_id for hit in hits if hit.document.kind == "landmark"]


def _build_translation_id(external_id: str, language: Language) -> str:
    """Return the external id of the same landmark in another language."""
    return f"{external_id.rpartition(':')[0]}:{language}"


def _replace_with_translations(
    hits: Sequence[Hit], translation_ids: Mapping[str, str], translations: Mapping[str, Document]
) -> list[Hit]:
    best: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        document = hit.document
        if document.kind == "landmark":
            document = translations.get(translation_ids[document.external_id], document)
        key = document.kind, document.external_id
        if key not in best or best[key].score < hit.score:
            best[key] = Hit(document, hit.score)
    return list(best.values())


def _read_page(page_reader: PageReader, url: str, seconds: float) -> Page | str:
    try:
        return page_reader.read(url, seconds=seconds)
    except PageFailed as failure:
        return failure.message


def _build_site_queries(plans: Sequence[Plan], round_number: int) -> list[tuple[str, str | None]]:
    """Build one query per claim for the next official site of its entities. Round 2 takes the first site."""
    index = round_number - 2
    return [(plan.refined, plan.sites[index]) for plan in plans if index < len(plan.sites)]
