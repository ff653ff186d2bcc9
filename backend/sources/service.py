"""Finds the sources of a statement in recorded steps; this is the work of a source-finding job.

Each step returns plain data, which the job engine records, so a restarted job continues after its last
step. Parsed claims and scores are not recorded: they are cheap to compute again from the store.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Protocol, TypeVar

from backend.articles.rules.active_rules import ActiveRules
from backend.articles.text.language_detection import detect
from backend.documents import landmark_archive
from backend.documents.model import Document, Hit
from backend.documents.store import DocumentStore
from backend.entities.model import Language
from backend.formats.timestamps import Clock, utc_now
from backend.language_model.client import LanguageModel
from backend.language_model.errors import ModelFailed
from backend.settings import Settings
from backend.sources import providers, results
from backend.sources.assessment import reasoning
from backend.sources.assessment.background_acts import check_background_acts
from backend.sources.assessment.claim_assessment import assess
from backend.sources.assessment.evidence_scoring import (
    EvidenceScorer,
    ScoredDocument,
    find_best_relevance,
    has_official_disagreement,
)
from backend.sources.assessment.reasoning_texts import (
    format_claim_reasoning,
    format_model_failure,
    format_unread_page,
)
from backend.sources.assessment.time_spans import check_time_spans
from backend.sources.assessment.verdict import (
    UNKNOWN_PROBABILITY,
    Verdict,
    WeightedStance,
    apply_stances,
    build_rules_verdict,
    join_verdicts,
)
from backend.sources.claims.checkable import is_checkable
from backend.sources.claims.claim_splitting import MAX_CLAIMS, split_claims
from backend.sources.claims.model import ParsedStatement
from backend.sources.language_model_steps import MAX_PASSAGES, ModelSteps
from backend.sources.retrieval.document_retrieval import (
    MAX_PAGES_PER_JOB,
    DocumentRetriever,
    PageReads,
    SearchRound,
    build_document,
)
from backend.sources.retrieval.query_planning import Plan, build_plan
from backend.sources.retrieval.web_pages import PageReader, restore_page
from backend.sources.schemas import UNVERIFIED, SourcesRequest, SourcesResult
from backend.sources.search_state import MAX_STATEMENT_EXCERPT_CHARS, SourceSearchState, list_texts
from backend.store.database import Database

T = TypeVar("T")
MAX_ROUNDS = 3
SUFFICIENT_RELEVANCE = 0.6
"""Relevance of the best source from which no further round is needed."""


class Steps(Protocol):
    """Runs the steps of a search: :class:`backend.jobs.runner.JobContext` or :class:`ImmediateSteps`."""

    def step(
        self, name: str, work: Callable[[], T], *, detail: Callable[[T], Mapping[str, Any]] | None = None
    ) -> T: ...

    def remaining(self) -> float: ...


class ImmediateSteps:
    """Runs steps outside a job, unrecorded. ``on_step`` gets the name of each step at its start."""

    def __init__(self, on_step: Callable[[str], None], *, seconds: float) -> None:
        self._on_step = on_step
        self._end = time.monotonic() + seconds

    def step(
        self, name: str, work: Callable[[], T], *, detail: Callable[[T], Mapping[str, Any]] | None = None
    ) -> T:
        self._on_step(name)
        return work()

    def remaining(self) -> float:
        return self._end - time.monotonic()


class SourceFinder:
    """Finds sources for one process. Thread-safe."""

    def __init__(
        self, settings: Settings, database: Database, rules: ActiveRules, *, now: Clock = utc_now
    ) -> None:
        self._database = database
        self._rules = rules
        self._now = now
        self._scorer: EvidenceScorer | None = None
        self._model = LanguageModel.from_settings(settings, database)
        pages = PageReader(database, allow=settings.fetch_allow, now=now) if settings.mode == "live" else None
        self.store = DocumentStore(database)
        self._retriever = DocumentRetriever(
            database, self.store, providers.build_providers(settings), pages, now=now
        )

    def find(self, request: SourcesRequest, steps: Steps) -> SourcesResult:
        """Find the sources of ``request`` and assess how well they support it."""
        started = time.monotonic()
        state = self._prepare_state(request, steps)
        while True:
            self._search(state, steps)
            if self._is_finished(state):
                break
        verdict = steps.step("assess", lambda: asdict(self._decide_verdict(state)), detail=_verdict_detail)
        milliseconds = round((time.monotonic() - started) * 1000)
        return results.build_result(state, Verdict(**verdict), milliseconds)

    def prepare(self) -> None:
        """Import the landmark archive into the store unless it is there, and update the search index."""
        authorities = self.scorer().authorities
        landmark_archive.import_archive(
            self._database,
            now=self._now(),
            source_type=lambda url, about: authorities.classify(url, about=about).source_type,
        )
        self.store.reindex()

    def close(self) -> None:
        self._retriever.close()

    def scorer(self) -> EvidenceScorer:
        """Return the scorer with the rules in force; a changed rules file replaces it."""
        self._rules.refresh()
        rules = self._rules.current
        if self._scorer is None or self._scorer.rules is not rules:
            self._scorer = EvidenceScorer(rules)
        return self._scorer

    def _prepare_state(self, request: SourcesRequest, steps: Steps) -> SourceSearchState:
        scorer, model = self.scorer(), ModelSteps(self._model) if self._model else None
        language = detect([text for _, text in list_texts(request)])
        split = steps.step(
            "claims",
            lambda: _split_claims(request, language, model, scorer),
            detail=lambda step: {"claims": len(step["claims"])},
        )
        claims = [scorer.parse_claim(text, language) for text in split["claims"]]
        planned = steps.step(
            "queries",
            lambda: self._build_plans(claims, scorer, model, language),
            detail=lambda step: {"query": step["plans"][0]["refined"]},
        )
        plans = [_restore_plan(plan) for plan in planned["plans"]]
        warnings = split["notes"] + planned["notes"]
        # A job that an earlier version started has no fields recorded; its claims come from the statement.
        claim_fields = split.get("parts", ["statement"] * len(claims))
        return SourceSearchState(request, scorer, language, claims, claim_fields, plans, model, warnings)

    @staticmethod
    def _build_plans(
        claims: Sequence[ParsedStatement],
        scorer: EvidenceScorer,
        model: ModelSteps | None,
        language: Language,
    ) -> dict[str, list[Any]]:
        plans = [build_plan(claim, scorer.rules.entities) for claim in claims]
        notes: list[str] = []
        if model is not None:
            try:
                plans = [
                    _replace_query(plan, model.build_queries(claim.wording))
                    for plan, claim in zip(plans, claims, strict=True)
                ]
            except ModelFailed as failure:
                notes.append(format_model_failure(language, failure.message))
        return {"plans": [asdict(plan) for plan in plans], "notes": notes}

    def _search(self, state: SourceSearchState, steps: Steps) -> None:
        """Run one round: search the providers, read pages, then score the stored documents on each claim."""
        state.rounds += 1
        number = state.rounds
        search_round = SearchRound()
        if self._retriever.can_search_web:
            search_round = SearchRound.from_step(
                steps.step(
                    f"search {number}",
                    lambda: self._retriever.search_web(state.plans, number).to_step(),
                    detail=lambda step: {"results": step["count"], "failed": step["failed"]},
                )
            )
        urls = self._choose_urls(state, search_round)
        if urls:
            seconds = max(1.0, min(8.0, steps.remaining() / 4))
            page_reads = PageReads.from_step(
                steps.step(
                    f"read {number}",
                    lambda: self._retriever.read_pages(
                        urls,
                        state.scorer.authorities,
                        caller_urls=frozenset(state.request.source_urls),
                        seconds=seconds,
                    ).to_step(),
                    detail=lambda step: {"pages": len(step["documents"]), "failed": len(step["failed"])},
                )
            )
            state.page_ids |= page_reads.page_ids
            state.job_only_pages += [
                build_document(page, state.scorer.authorities)
                for page in map(restore_page, page_reads.job_only_pages)
            ]
            state.page_errors |= page_reads.errors
        state.search_result_count += search_round.result_count
        stored = steps.step(f"weigh {number}", lambda: self._score_documents(state), detail=dict)
        state.search_result_count += stored["documents"] if number == 1 else 0
        if state.scored_round < number:  # the step was recorded before a restart
            self._score_documents(state)

    def _choose_urls(self, state: SourceSearchState, search_round: SearchRound) -> list[str]:
        """Choose URLs to read: those of the request, then by authority, up to the job's maximum."""
        if not self._retriever.can_read_pages:
            return []
        caller_urls = state.request.source_urls if state.rounds == 1 else []
        authorities = state.scorer.authorities
        about = {mention.entity_id for claim in state.claims for mention in claim.mentions}
        ranked = sorted(search_round.urls, key=lambda url: -authorities.classify(url, about=about).score)
        record_urls = [
            url
            for scored in state.scored
            for scored_document in scored
            if scored_document.is_about
            for url in scored_document.document.urls
        ]
        read_urls = state.page_ids.keys() | state.page_errors.keys()
        unread = [url for url in dict.fromkeys([*caller_urls, *ranked, *record_urls]) if url not in read_urls]
        return unread[: max(0, MAX_PAGES_PER_JOB - len(read_urls))]

    def _score_documents(self, state: SourceSearchState) -> dict[str, Any]:
        """Score the search hits of each claim and the pages read as evidence on it."""
        queries = [(claim.text, *plan.names) for claim, plan in zip(state.claims, state.plans, strict=True)]
        hits, event_texts = self._retriever.search_store(queries, state.language)
        job_only_ids = {page.external_id for page in state.job_only_pages}
        stored_page_ids = [page_id for page_id in state.page_ids.values() if page_id not in job_only_ids]
        pages = [*state.job_only_pages, *self._retriever.load_pages(stored_page_ids)]
        state.scored = []
        for claim, claim_hits in zip(state.claims, hits, strict=True):
            scored = [
                state.scorer.score_document(
                    claim, hit.document, hit.score, event_text=event_texts.get(hit.document.event or "", "")
                )
                for hit in _add_pages(claim_hits, pages)
            ]
            scored = check_background_acts(claim, scored, state.scorer)
            state.scored.append(check_time_spans(claim, scored, state.scorer))
        state.scored_round = state.rounds
        documents = {hit.document.external_id for claim_hits in hits for hit in claim_hits}
        best = max(map(find_best_relevance, state.scored))
        return {
            "documents": len(documents | {page.external_id for page in pages}),
            "relevance": round(best, 3),
        }

    def _is_finished(self, state: SourceSearchState) -> bool:
        """Whether another round would add nothing; the store alone answers fully in the first round."""
        if not self._retriever.can_search_web or state.rounds >= MAX_ROUNDS:
            return True
        is_settled = all(
            not is_checkable(claim)
            or (find_best_relevance(scored) >= SUFFICIENT_RELEVANCE and not has_official_disagreement(scored))
            for claim, scored in zip(state.claims, state.scored, strict=True)
        )
        return is_settled or all(state.rounds > len(plan.sites) for plan in state.plans)

    def _decide_verdict(self, state: SourceSearchState) -> Verdict:
        verdicts = [
            self._judge_claim(state, claim, scored)
            for claim, scored in zip(state.claims, state.scored, strict=True)
        ]
        if len(verdicts) > 1:
            verdicts = [
                replace(
                    verdict,
                    reasoning=format_claim_reasoning(state.language, field, claim.wording, verdict.reasoning),
                )
                for field, claim, verdict in zip(state.claim_fields, state.claims, verdicts, strict=True)
            ]
        # A claim that cannot be checked is mentioned in the reasoning, but decides only if all are like that.
        checkable = [
            verdict for claim, verdict in zip(state.claims, verdicts, strict=True) if is_checkable(claim)
        ]
        verdict = join_verdicts(checkable or verdicts)
        if checkable and len(checkable) < len(verdicts):
            verdict = replace(verdict, reasoning=" ".join(verdict.reasoning for verdict in verdicts))
        page_warnings = [
            format_unread_page(state.language, url, reason)
            for url, reason in state.page_errors.items()
            if url in state.request.source_urls
        ]
        warnings = [*dict.fromkeys(state.warnings), *page_warnings]
        return Verdict(
            verdict.probability, verdict.confidence, verdict.word, " ".join([verdict.reasoning, *warnings])
        )

    def _judge_claim(
        self, state: SourceSearchState, claim: ParsedStatement, scored: Sequence[ScoredDocument]
    ) -> Verdict:
        if not is_checkable(claim):
            return Verdict(UNKNOWN_PROBABILITY, "low", UNVERIFIED, reasoning.explain_no_claim(state.language))
        assessed = assess(
            [scored_document.evidence for scored_document in scored],
            language=state.language,
            searched_web=self._retriever.can_search_web,
        )
        model = state.model_steps
        about = sorted(
            (scored_document for scored_document in scored if scored_document.is_about),
            key=lambda scored_document: -scored_document.evidence.relevance,
        )
        if model is None or not about:
            return build_rules_verdict(assessed)
        shown = about[:MAX_PASSAGES]
        try:
            judgement = model.judge_passages(
                claim.wording, [scored_document.passage for scored_document in shown]
            )
        except ModelFailed as failure:
            state.warnings.append(format_model_failure(state.language, failure.message))
            return build_rules_verdict(assessed)
        weighted = [
            WeightedStance(stance, shown[stance.passage].authority.score) for stance in judgement.stances
        ]
        return apply_stances(
            assessed, weighted, model.name, state.language, finds_nothing=judgement.finds_nothing
        )


def _split_claims(
    request: SourcesRequest, language: Language, model: ModelSteps | None, scorer: EvidenceScorer
) -> dict[str, list[str]]:
    """Split the texts of a request into claims, the title's first; ``parts`` says where each stands."""
    notes: list[str] = []
    claims_by_part: list[tuple[str, str]] = []
    for part, text in list_texts(request):
        claims: list[str] = []
        if model is not None and not notes:
            try:
                claims = model.split_claims(text)
            except ModelFailed as failure:
                notes.append(format_model_failure(language, failure.message))
        claims = claims or split_claims(text, language, scorer.find_mentions)
        if not claims and not claims_by_part:
            claims = [text[:MAX_STATEMENT_EXCERPT_CHARS]]
        earlier_claims = {claim for _, claim in claims_by_part}
        claims_by_part += [(part, claim) for claim in claims if claim not in earlier_claims]
    chosen = claims_by_part[:MAX_CLAIMS]
    return {"claims": [claim for _, claim in chosen], "parts": [part for part, _ in chosen], "notes": notes}


def _replace_query(plan: Plan, queries: Sequence[str]) -> Plan:
    return Plan(queries[0], plan.names, plan.sites) if queries else plan


def _restore_plan(recorded: Mapping[str, Any]) -> Plan:
    return Plan(recorded["refined"], tuple(recorded["names"]), tuple(recorded["sites"]))


def _add_pages(claim_hits: Sequence[Hit], pages: Sequence[Document]) -> list[Hit]:
    """Return the hits, and the pages that are not among them with a score of 0.

    A page of the job replaces a stored one of the same address.
    """
    own_page_ids = {page.external_id for page in pages if page.id is None}
    hits = [
        hit
        for hit in claim_hits
        if hit.document.kind != "page" or hit.document.external_id not in own_page_ids
    ]
    known_ids = {hit.document.id for hit in hits}
    return [*hits, *(Hit(page, 0.0) for page in pages if page.id is None or page.id not in known_ids)]


def _verdict_detail(verdict: Mapping[str, Any]) -> dict[str, Any]:
    return {"assessment": verdict["word"], "probability": round(verdict["probability"], 3)}
