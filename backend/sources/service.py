"""Finding where a statement comes from, step by step: what each job of source finding does.

Each step gives plain data, which the job engine records: a job whose process died goes on behind it. What
can be had again out of the store at no cost, the slots of claims and the weighing, is not recorded.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Protocol, TypeVar

from backend.articles.rules.active_rules import Rules
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
from backend.sources.assessment import language_model_texts, reasoning
from backend.sources.assessment.claim_assessment import assess
from backend.sources.assessment.evidence_scoring import Scale, Weighed, best_relevance, strong_ones_disagree
from backend.sources.assessment.reasoning_texts import part, unread_page
from backend.sources.assessment.verdict import Judged, Verdict, blended, joined, of_rules
from backend.sources.claims.checkable import is_checkable
from backend.sources.claims.claim_splitting import split
from backend.sources.claims.model import Claim
from backend.sources.language_model_steps import MOST_PASSAGES, ModelSteps
from backend.sources.request_state import LONGEST_SHOWN, Inquiry, said
from backend.sources.retrieval.document_retrieval import MOST_PAGES, Gatherer, Read, Round
from backend.sources.retrieval.query_planning import Plan, plan
from backend.sources.retrieval.web_pages import Pages
from backend.sources.schemas import SourcesRequest, SourcesResult
from backend.store.database import Database

T = TypeVar("T")
MOST_ROUNDS = 3
GOOD_ENOUGH = 0.6
"""Relevance of the best source from which no further round is asked for."""


class Steps(Protocol):
    """How a job goes on: :class:`backend.jobs.runner.JobContext`, or :class:`AtOnce`."""

    def step(
        self, name: str, work: Callable[[], T], *, detail: Callable[[T], Mapping[str, Any]] | None = None
    ) -> T: ...

    def remaining(self) -> float: ...


class AtOnce:
    """Steps outside any job: done and forgotten. ``told`` hears the name of each as it begins."""

    def __init__(self, told: Callable[[str], None], *, seconds: float) -> None:
        self._told = told
        self._end = time.monotonic() + seconds

    def step(
        self, name: str, work: Callable[[], T], *, detail: Callable[[T], Mapping[str, Any]] | None = None
    ) -> T:
        self._told(name)
        return work()

    def remaining(self) -> float:
        return self._end - time.monotonic()


class Finder:
    """Finds sources for one process; safe for use by several threads."""

    def __init__(self, settings: Settings, database: Database, rules: Rules, *, now: Clock = utc_now) -> None:
        self._database = database
        self._rules = rules
        self._now = now
        self._scale: Scale | None = None
        self._model = LanguageModel.from_settings(settings, database)
        pages = Pages(database, allow=settings.fetch_allow, now=now) if settings.mode == "live" else None
        self.store = DocumentStore(database)
        self._gatherer = Gatherer(database, self.store, providers.configured(settings), pages, now=now)

    def find(self, request: SourcesRequest, steps: Steps) -> SourcesResult:
        """The sources of what ``request`` says, and what they make of it."""
        begun = time.monotonic()
        inquiry = self._begin(request, steps)
        while True:
            self._search(inquiry, steps)
            if self._is_enough(inquiry):
                break
        verdict = steps.step("assess", lambda: asdict(self._judge(inquiry)), detail=_told_verdict)
        milliseconds = round((time.monotonic() - begun) * 1000)
        return results.result(inquiry, Verdict(**verdict), milliseconds)

    def prepare(self) -> None:
        """Bring the archive of landmarks into the store, unless it is there, and the index up to date."""
        authorities = self.scale().authorities
        landmark_archive.bring_in(
            self._database,
            now=self._now(),
            source_type=lambda url, about: authorities.classify(url, about=about).source_type,
        )
        self.store.reindex()

    def close(self) -> None:
        self._gatherer.close()

    def scale(self) -> Scale:
        """By the rules in force, which a changed file of rules replaces."""
        self._rules.refresh()
        rules = self._rules.current
        if self._scale is None or self._scale.rules is not rules:
            self._scale = Scale(rules)
        return self._scale

    def _begin(self, request: SourcesRequest, steps: Steps) -> Inquiry:
        scale, model = self.scale(), ModelSteps(self._model) if self._model else None
        language = detect([_text_of(request)])
        found = steps.step(
            "claims",
            lambda: _claims(request, language, model, scale),
            detail=lambda made: {"claims": len(made["claims"])},
        )
        claims = [scale.claim(text, language) for text in found["claims"]]
        planned = steps.step(
            "queries",
            lambda: self._planned(claims, scale, model, language),
            detail=lambda found: {"query": found["plans"][0]["refined"]},
        )
        plans = [_plan(one) for one in planned["plans"]]
        return Inquiry(request, scale, language, claims, plans, model, found["notes"] + planned["notes"])

    @staticmethod
    def _planned(
        claims: Sequence[Claim], scale: Scale, model: ModelSteps | None, language: Language
    ) -> dict[str, list[Any]]:
        plans = [plan(claim, scale.rules.entities) for claim in claims]
        notes: list[str] = []
        if model is not None:
            try:
                plans = [
                    _worded(one, model.word(claim.text)) for one, claim in zip(plans, claims, strict=True)
                ]
            except ModelFailed as failure:
                notes.append(language_model_texts.failed(language, failure.message))
        return {"plans": [asdict(one) for one in plans], "notes": notes}

    def _search(self, inquiry: Inquiry, steps: Steps) -> None:
        """One round: other engines, pages, then everything that the store has on each claim."""
        inquiry.rounds += 1
        number = inquiry.rounds
        brought = Round()
        if self._gatherer.reaches_out:
            brought = Round(
                **steps.step(
                    f"search {number}",
                    lambda: asdict(self._gatherer.elsewhere(inquiry.plans, number)),
                    detail=lambda found: {"results": found["count"], "failed": found["failed"]},
                )
            )
        wanted = self._wanted(inquiry, brought)
        if wanted:
            seconds = max(1.0, min(8.0, steps.remaining() / 4))
            read = Read(
                **steps.step(
                    f"read {number}",
                    lambda: asdict(self._gatherer.read(wanted, inquiry.scale.authorities, seconds=seconds)),
                    detail=lambda found: {"pages": len(found["documents"]), "failed": len(found["failed"])},
                )
            )
            inquiry.pages |= read.documents
            inquiry.unread |= read.failed
        inquiry.found += brought.count
        local = steps.step(f"weigh {number}", lambda: self._weigh(inquiry), detail=dict)
        inquiry.found += local["documents"] if number == 1 else 0
        if inquiry.weighed_in < number:  # the step had been done by a process that died
            self._weigh(inquiry)

    def _wanted(self, inquiry: Inquiry, brought: Round) -> list[str]:
        """Addresses to read: those that were sent, then those that count most, within the job's share."""
        if not self._gatherer.reads_pages:
            return []
        sent = inquiry.request.source_urls if inquiry.rounds == 1 else []
        authorities = inquiry.scale.authorities
        about = {mention.entity_id for claim in inquiry.claims for mention in claim.mentions}
        ranked = sorted(brought.urls, key=lambda url: -authorities.classify(url, about=about).score)
        records = [
            url for weighed in inquiry.weighed for one in weighed if one.is_about for url in one.document.urls
        ]
        seen = inquiry.pages.keys() | inquiry.unread.keys()
        fresh = [url for url in dict.fromkeys([*sent, *ranked, *records]) if url not in seen]
        return fresh[: max(0, MOST_PAGES - len(seen))]

    def _weigh(self, inquiry: Inquiry) -> dict[str, Any]:
        """Hold every claim against what the store has on it and the pages that were read."""
        queries = [(one.text, *plan.names) for one, plan in zip(inquiry.claims, inquiry.plans, strict=True)]
        hits = self._gatherer.local(queries, inquiry.language)
        pages = self._gatherer.stored(list(inquiry.pages.values()))
        inquiry.weighed = [
            [inquiry.scale.weigh(claim, hit.document, hit.score) for hit in _with_pages(found, pages)]
            for claim, found in zip(inquiry.claims, hits, strict=True)
        ]
        inquiry.weighed_in = inquiry.rounds
        documents = {hit.document.id for found in hits for hit in found}
        best = max(map(best_relevance, inquiry.weighed))
        return {"documents": len(documents | {page.id for page in pages}), "relevance": round(best, 3)}

    def _is_enough(self, inquiry: Inquiry) -> bool:
        """Whether another round could tell more: the store alone has told all that it has in the first."""
        if not self._gatherer.reaches_out or inquiry.rounds >= MOST_ROUNDS:
            return True
        settled = all(
            not is_checkable(claim)
            or (best_relevance(weighed) >= GOOD_ENOUGH and not strong_ones_disagree(weighed))
            for claim, weighed in zip(inquiry.claims, inquiry.weighed, strict=True)
        )
        return settled or all(inquiry.rounds > len(one.sites) for one in inquiry.plans)

    def _judge(self, inquiry: Inquiry) -> Verdict:
        verdicts = [
            self._judged_claim(inquiry, claim, weighed)
            for claim, weighed in zip(inquiry.claims, inquiry.weighed, strict=True)
        ]
        if len(verdicts) > 1:
            verdicts = [
                replace(verdict, reasoning=part(inquiry.language, claim.text, verdict.reasoning))
                for claim, verdict in zip(inquiry.claims, verdicts, strict=True)
            ]
        verdict = joined(verdicts)
        unread = [
            unread_page(inquiry.language, url, reason)
            for url, reason in inquiry.unread.items()
            if url in inquiry.request.source_urls
        ]
        notes = [*dict.fromkeys(inquiry.notes), *unread]
        return Verdict(
            verdict.probability, verdict.confidence, verdict.word, " ".join([verdict.reasoning, *notes])
        )

    @staticmethod
    def _judged_claim(inquiry: Inquiry, claim: Claim, weighed: Sequence[Weighed]) -> Verdict:
        if not is_checkable(claim):
            return Verdict(0.5, "low", "unverified", reasoning.no_claim(inquiry.language))
        assessed = assess([one.evidence for one in weighed], language=inquiry.language)
        model = inquiry.model
        shown = sorted((one for one in weighed if one.is_about), key=lambda one: -one.evidence.relevance)
        if model is None or not shown:
            return of_rules(assessed)
        shown = shown[:MOST_PASSAGES]
        try:
            stances = model.judge(claim.text, [one.passage for one in shown])
        except ModelFailed as failure:
            inquiry.notes.append(language_model_texts.failed(inquiry.language, failure.message))
            return of_rules(assessed)
        judged = [Judged(stance, shown[stance.passage].authority.score) for stance in stances]
        return blended(assessed, judged, model.name, inquiry.language)


def _claims(
    request: SourcesRequest, language: Language, model: ModelSteps | None, scale: Scale
) -> dict[str, list[str]]:
    text = _text_of(request)
    notes = []
    if model is not None:
        try:
            if found := model.split(text):
                return {"claims": found, "notes": []}
        except ModelFailed as failure:
            notes.append(language_model_texts.failed(language, failure.message))
    return {"claims": split(text, language, scale.named) or [text[:LONGEST_SHOWN]], "notes": notes}


def _text_of(request: SourcesRequest) -> str:
    """What is checked: the statement, or the title, or the content where neither is sent."""
    return next(filter(None, (said(request.statement), said(request.title), said(request.content))))


def _worded(planned: Plan, words: Sequence[str]) -> Plan:
    return Plan(words[0], planned.names, planned.sites) if words else planned


def _plan(recorded: Mapping[str, Any]) -> Plan:
    return Plan(recorded["refined"], tuple(recorded["names"]), tuple(recorded["sites"]))


def _with_pages(found: Sequence[Hit], pages: Sequence[Document]) -> list[Hit]:
    """The hits, and the pages that are not among them."""
    known = {hit.document.id for hit in found}
    return [*found, *(Hit(page, 0.0) for page in pages if page.id not in known)]


def _told_verdict(verdict: Mapping[str, Any]) -> dict[str, Any]:
    return {"assessment": verdict["word"], "probability": round(verdict["probability"], 3)}
