"""The answer of a source-finding job, out of what was weighed."""

from dataclasses import dataclass

from backend.documents.model import Document
from backend.formats.timestamps import write_instant
from backend.sources.assessment.evidence_scoring import Weighed
from backend.sources.assessment.verdict import Verdict
from backend.sources.authority import Authority
from backend.sources.claims.checkable import is_checkable
from backend.sources.request_state import Inquiry, statement_of
from backend.sources.schemas import PrimarySource, SearchMetrics, SourcesResult, TruthAssessment

QUALITY = 0.8
"""Authority from which a source is counted as one of quality."""
RELATED, NEAR_MISS, MOST_RELATED = 0.35, 0.4, 3
"""Where nothing tells of the event, the few sources that come nearest are shown: from which relevance,
what is left of it, since they tell of another event, and how many."""
LONGEST_SUMMARY = 400
LONGEST_CONTENT = 2_000
_NEWS = frozenset({"press", "trade_press", "social", "blog"})


@dataclass(frozen=True, slots=True)
class _Cited:
    """One address that tells what was weighed."""

    url: str
    authority: Authority
    weighed: Weighed
    validated: bool | None
    closeness: float
    """Of the event that it tells to the claim, in whatever language."""

    @property
    def relevance(self) -> float:
        """That of the passage; much less where it tells of another event."""
        relevance = self.weighed.evidence.relevance
        return relevance if self.weighed.is_about else relevance * NEAR_MISS

    @property
    def rank(self) -> tuple[float, ...]:
        """Of the event first, official before news, the event that comes closest before those beside it
        (earlier and later ones of the same people), then by authority and relevance together."""
        both = self.authority.score * self.relevance
        if not self.weighed.is_about:  # who is spoken of tells more than who speaks
            return (False, self.weighed.shared, self.relevance, both)
        return (True, self.authority.is_official, self.closeness, both, self.authority.score)


def result(inquiry: Inquiry, verdict: Verdict, milliseconds: int) -> SourcesResult:
    cited = _cited(inquiry)
    shown = cited[: inquiry.request.max_results]
    rounds = inquiry.rounds
    return {
        "statement": statement_of(inquiry.request, inquiry.claims),
        "refined_query": inquiry.plans[0].refined,
        "primary_sources": [_source(one) for one in shown],
        "search_results_count": inquiry.found,
        "processing_time_ms": milliseconds,
        "truth_assessment": _assessment(verdict),
        "search_metrics": SearchMetrics(
            search_rounds=rounds,
            analysis_rounds=rounds,
            total_sources=len(cited),
            quality_sources_found=sum(one.authority.score >= QUALITY for one in cited),
        ),
        "original_urls": list(inquiry.request.source_urls),
    }


def _assessment(verdict: Verdict) -> TruthAssessment:
    truth = round(verdict.probability, 4)
    return {
        "truth_probability": truth,
        "false_probability": round(1 - truth, 4),
        "confidence_level": verdict.confidence,
        "assessment": verdict.word,
        "reasoning": verdict.reasoning,
    }


def _cited(inquiry: Inquiry) -> list[_Cited]:
    """Each address once, with what says most there, best first."""
    about = {mention.entity_id for claim in inquiry.claims for mention in claim.mentions}
    best: dict[str, _Cited] = {}
    closeness = _closeness_of_events(inquiry)
    for weighed in _worth_showing(inquiry):
        for url in weighed.document.urls or (weighed.document.url,):
            authority = inquiry.scale.authorities.classify(url, about=about)
            validated = _validated(inquiry, url, weighed)
            one = _Cited(url, authority, weighed, validated, closeness[_told(weighed)])
            if url not in best or _telling(one, inquiry) > _telling(best[url], inquiry):
                best[url] = one
    ranked = sorted(best.values(), key=lambda one: one.rank, reverse=True)
    is_known = any(one.weighed.is_about for one in ranked)
    return ranked if is_known else ranked[:MOST_RELATED]


def _closeness_of_events(inquiry: Inquiry) -> dict[str, float]:
    """The best of all tellings of each event."""
    closest: dict[str, float] = {}
    for one in (one for every in inquiry.weighed for one in every):
        told = _told(one)
        closest[told] = max(closest.get(told, 0.0), one.evidence.comparison.closeness)
    return closest


def _told(weighed: Weighed) -> str:
    """The event of a record; a page stands for itself."""
    return weighed.document.event or weighed.document.url


def _telling(cited: _Cited, inquiry: Inquiry) -> tuple[float, ...]:
    """Of several documents at one address, that in the statement's language is shown."""
    is_readable = cited.weighed.document.language == inquiry.language
    return (cited.weighed.is_about, cited.closeness, is_readable, cited.relevance)


def _worth_showing(inquiry: Inquiry) -> list[Weighed]:
    """What tells of the event; where nothing does, what comes nearest to a claim and is about somebody whom
    the claim names. Beside what claims nothing there are no near misses."""
    about = [one for every in inquiry.weighed for one in every if one.is_about]
    if about:
        return about
    return [
        one
        for claim, every in zip(inquiry.claims, inquiry.weighed, strict=True)
        if is_checkable(claim)
        for one in every
        if one.shared and one.evidence.relevance >= RELATED
    ]


def _validated(inquiry: Inquiry, url: str, weighed: Weighed) -> bool | None:
    """Whether the passage stands in the page that was fetched: a record's page tells it if some passage
    of it was found to be about the same event without a difference."""
    if url not in inquiry.pages:
        return None
    if weighed.document.external_id == inquiry.pages[url]:
        return True
    page = inquiry.pages[url]
    return any(
        one.document.external_id == page and one.is_about and not one.evidence.comparison.differences
        for every in inquiry.weighed
        for one in every
    )


def _source(cited: _Cited) -> PrimarySource:
    document: Document = cited.weighed.document
    moment = document.published_at
    return {
        "url": cited.url,
        "title": document.title,
        "authority_score": round(cited.authority.score, 4),
        "relevance_score": round(cited.relevance, 4),
        "source_type": cited.authority.source_type,
        "summary": _cut(cited.weighed.passage, LONGEST_SUMMARY),
        "content": _cut(document.text, LONGEST_CONTENT),
        "published_at": write_instant(moment) if moment else None,
        "validated": cited.validated,
        "is_news_like": cited.authority.source_type in _NEWS
        or (document.kind in ("article", "topic") and not cited.authority.is_official),
    }


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
