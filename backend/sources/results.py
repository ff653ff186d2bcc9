"""Builds the result of a source-finding job from the scored documents and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.documents.model import Document
from backend.formats.timestamps import write_instant
from backend.sources.assessment.claim_assessment import MAX_CLOSENESS_GAP
from backend.sources.assessment.evidence_scoring import ScoredDocument
from backend.sources.assessment.verdict import Verdict
from backend.sources.authority import Authority
from backend.sources.claims.checkable import is_checkable
from backend.sources.schemas import PrimarySource, SearchMetrics, SourcesResult, TruthAssessment
from backend.sources.search_state import SourceSearchState, choose_statement

MIN_QUALITY_AUTHORITY = 0.8
"""Authority from which a source counts as a high-quality source."""
MIN_NEAR_MISS_RELEVANCE = 0.35
"""If no source is about the event, the nearest sources from this relevance are shown: near misses."""
NEAR_MISS_FACTOR = 0.4
"""Factor on the relevance of a near miss, which is about another event."""
MAX_NEAR_MISSES = 3
MAX_SUMMARY_CHARS = 400
MAX_SHOWN_CONTENT_CHARS = 2_000
_NEWS_TYPES = frozenset({"press", "trade_press", "social", "blog"})


@dataclass(frozen=True, slots=True)
class _Citation:
    """A scored document at one of its URLs."""

    url: str
    authority: Authority
    scored: ScoredDocument
    validated: bool | None
    closeness: float
    """Closeness of the document's event to the claim: the maximum over all languages of its record."""

    @property
    def relevance(self) -> float:
        """Relevance of the passage, reduced if it is about another event."""
        relevance = self.scored.evidence.relevance
        return relevance if self.scored.is_about else relevance * NEAR_MISS_FACTOR

    @property
    def rank(self) -> tuple[float, ...]:
        """Sort key, larger is better.

        Sources about the event come first, official ones before news. Then the closest event comes before
        earlier and later ones of the same people, then authority times relevance decides.
        """
        weight = self.authority.score * self.relevance
        if not self.scored.is_about:  # shared entities tell more than authority
            return (False, self.scored.shared_entities, self.relevance, weight)
        return (True, self.authority.is_official, self.closeness, weight, self.authority.score)


def build_result(state: SourceSearchState, verdict: Verdict, milliseconds: int) -> SourcesResult:
    """Build the result with the best sources, up to the request's maximum."""
    cited = _list_citations(state)
    shown = cited[: state.request.max_results]
    rounds = state.rounds
    return {
        "statement": choose_statement(state.request, state.claims),
        "refined_query": state.plans[0].refined,
        "primary_sources": [_build_source(citation) for citation in shown],
        "search_results_count": state.search_result_count,
        "processing_time_ms": milliseconds,
        "truth_assessment": _build_assessment(verdict),
        "search_metrics": SearchMetrics(
            search_rounds=rounds,
            analysis_rounds=rounds,
            total_sources=len(cited),
            quality_sources_found=sum(
                citation.authority.score >= MIN_QUALITY_AUTHORITY for citation in cited
            ),
        ),
        "original_urls": list(state.request.source_urls),
    }


def _build_assessment(verdict: Verdict) -> TruthAssessment:
    probability = round(verdict.probability, 4)
    return {
        "truth_probability": probability,
        "false_probability": round(1 - probability, 4),
        "confidence_level": verdict.confidence,
        "assessment": verdict.word,
        "reasoning": verdict.reasoning,
    }


def _list_citations(state: SourceSearchState) -> list[_Citation]:
    """List each URL once with its best document, best URL first."""
    about = {mention.entity_id for claim in state.claims for mention in claim.mentions}
    best: dict[str, _Citation] = {}
    closeness = _find_event_closeness(state)
    for scored in _list_documents_to_show(state):
        for url in scored.document.urls or (scored.document.url,):
            authority = state.scorer.authorities.classify_source(url, scored.document, about=about)
            validated = _is_validated(state, url, scored)
            citation = _Citation(url, authority, scored, validated, closeness[_get_event(scored)])
            if url not in best or _readability_key(citation, state) > _readability_key(best[url], state):
                best[url] = citation
    ranked = sorted(best.values(), key=lambda citation: citation.rank, reverse=True)
    is_known = any(citation.scored.is_about for citation in ranked)
    return ranked if is_known else ranked[:MAX_NEAR_MISSES]


def _find_event_closeness(state: SourceSearchState) -> dict[str, float]:
    """Map each event to the maximum closeness of its documents in all languages."""
    closest: dict[str, float] = {}
    for scored in (document for documents in state.scored for document in documents):
        event = _get_event(scored)
        closest[event] = max(closest.get(event, 0.0), scored.evidence.comparison.closeness)
    return closest


def _get_event(scored: ScoredDocument) -> str:
    """Return the event id of a record, or the URL of a page."""
    return scored.document.event or scored.document.url


def _readability_key(citation: _Citation, state: SourceSearchState) -> tuple[float, ...]:
    """Sort key among documents at one URL: it prefers the statement's language."""
    is_readable = citation.scored.document.language == state.language
    return (citation.scored.is_about, citation.closeness, is_readable, citation.relevance)


def _list_documents_to_show(state: SourceSearchState) -> list[ScoredDocument]:
    """List the documents about the event, or near misses if there are none.

    A near miss shares an entity with its claim. A claim that is not checkable has none.
    """
    about = [scored for documents in state.scored for scored in _list_nearest(documents)]
    if about:
        return about
    return [
        scored
        for claim, documents in zip(state.claims, state.scored, strict=True)
        if is_checkable(claim)
        for scored in documents
        if scored.shared_entities and scored.evidence.relevance >= MIN_NEAR_MISS_RELEVANCE
    ]


def _list_nearest(documents: Sequence[ScoredDocument]) -> list[ScoredDocument]:
    """List a claim's documents about its event that are about as close to it as the closest."""
    about = [scored for scored in documents if scored.is_about]
    closest = max((scored.evidence.comparison.closeness for scored in about), default=0.0)
    return [scored for scored in about if scored.evidence.comparison.closeness >= closest - MAX_CLOSENESS_GAP]


def _is_validated(state: SourceSearchState, url: str, scored: ScoredDocument) -> bool | None:
    """Whether the fetched page contains the passage; None if the page was not fetched.

    A record's page contains it if one of its passages is about the same event without a difference.
    """
    if url not in state.page_ids:
        return None
    if scored.document.external_id == state.page_ids[url]:
        return True
    page = state.page_ids[url]
    return any(
        candidate.document.external_id == page
        and candidate.is_about
        and not candidate.evidence.comparison.differences
        for documents in state.scored
        for candidate in documents
    )


def _build_source(citation: _Citation) -> PrimarySource:
    document: Document = citation.scored.document
    published_at = document.published_at
    return {
        "url": citation.url,
        "title": document.title,
        "authority_score": round(citation.authority.score, 4),
        "relevance_score": round(citation.relevance, 4),
        "source_type": citation.authority.source_type,
        "summary": _truncate(citation.scored.passage, MAX_SUMMARY_CHARS),
        "content": _truncate(document.text, MAX_SHOWN_CONTENT_CHARS),
        "published_at": write_instant(published_at) if published_at else None,
        "validated": citation.validated,
        "is_news_like": citation.authority.source_type in _NEWS_TYPES
        or (document.kind in ("article", "topic") and not citation.authority.is_official),
    }


def _truncate(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[: max_chars - 1].rstrip()}…"
