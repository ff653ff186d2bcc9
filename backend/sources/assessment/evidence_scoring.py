"""Claims held against documents: what speaks for and against each, and how much it counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from backend.articles.engine import RuleSet
from backend.articles.text.language_detection import detect
from backend.documents.model import Document
from backend.documents.tokenizer import query_terms
from backend.entities.mention import Mention
from backend.entities.model import LANGUAGES, Language
from backend.extraction.mentions import find
from backend.sources.assessment.evidence import Evidence
from backend.sources.authority import Authorities, Authority
from backend.sources.claims import dates, units
from backend.sources.claims.claim_parser import read_claim
from backend.sources.claims.model import Claim, Comparison
from backend.sources.claims.simhash import fingerprint
from backend.sources.comparison.claim_comparison import compare
from backend.sources.comparison.relevance import relevance
from backend.sources.retrieval import content_sanitizer
from backend.sources.retrieval.passages import likeliest, passages_of

READINGS = 4_000
"""Passages whose slots are remembered; the archive has some four hundred."""


OF_THE_FIELD = " (bitcoin, cryptocurrency, blockchain)"
"""Stands behind a text that is known to be of the field when its names are looked for."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A document's best passage on one claim."""

    document: Document
    passage: str
    evidence: Evidence
    authority: Authority
    shared: int = 0
    """Entities of the claim that the document names, whether it tells of the same event or not."""

    @property
    def is_about(self) -> bool:
        """Whether it tells of the very event of the claim."""
        return self.evidence.comparison.same_event


class Scale:
    """Weighs with one set of rules. Safe for use by several threads."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.authorities = Authorities(rules.entities)
        self._types: Mapping[str, str] = {name: entity.type for name, entity in rules.entities.items()}
        self._read = lru_cache(READINGS)(self._read_passage)
        self._fingerprint = lru_cache(READINGS)(fingerprint)

    def claim(self, text: str, language: Language) -> Claim:
        return read_claim(text, language, self.named(text))

    def weigh(self, claim: Claim, document: Document, bm25: float) -> Weighed:
        """The passage of ``document`` that says most of ``claim``, held against it."""
        about = {mention.entity_id for mention in claim.mentions}
        authority = self._authority(document, about)
        return max(
            (
                self._held(claim, document, passage, bm25, authority)
                for passage in self._passages(claim, document)
            ),
            key=lambda one: (one.is_about, one.evidence.relevance, -len(one.evidence.comparison.differences)),
        )

    def _passages(self, claim: Claim, document: Document) -> list[str]:
        every = passages_of(document)
        return likeliest(every, query_terms([claim.text])) or every[:1]

    def _held(
        self, claim: Claim, document: Document, passage: str, bm25: float, authority: Authority
    ) -> Weighed:
        comparison = self._compared(claim, document, passage, bm25)
        if content_sanitizer.gives_instructions(passage):  # a text that talks to the machine has no vote
            comparison = Comparison(0, 0, 0, 0, (), same_event=False)
        evidence = Evidence(
            comparison,
            authority.score,
            relevance(bm25, comparison),
            self._name(document, authority),
            document.url,
            self._fingerprint(passage),
        )
        return Weighed(document, passage, evidence, authority, self._shared(claim, document, passage))

    def _shared(self, claim: Claim, document: Document, passage: str) -> int:
        theirs = {*document.entities, *(one.entity_id for one in self._reading(document, passage).mentions)}
        return len({mention.entity_id for mention in claim.mentions} & theirs)

    def _reading(self, document: Document, passage: str) -> Claim:
        moment = document.published_at
        day = moment.date().isoformat() if moment else None
        return self._read(passage, day, document.language, document.kind == "landmark")

    def _compared(self, claim: Claim, document: Document, passage: str, bm25: float) -> Comparison:
        """A record's date is that of its event; a page's is that of its telling."""
        moment = document.published_at
        is_record = document.kind == "landmark"
        return compare(
            claim,
            self._reading(document, passage),
            document.facts,
            types=self._types,
            happened=dates.of_record(moment, document.date_precision) if is_record else None,
            published=moment.date() if moment and not is_record else None,
            entities=document.entities,
            bm25=bm25 or None,
        )

    def _read_passage(self, passage: str, day: str | None, language: str | None, is_record: bool) -> Claim:
        known = next((one for one in LANGUAGES if one == language), None) or detect([passage])
        reference = date.fromisoformat(day) if day else None
        mentions = self.named(passage) if is_record else find(self.rules, passage)
        return read_claim(passage, known, mentions, reference=reference)

    def named(self, text: str) -> list[Mention]:
        """Whom a statement or a record names. Both are of the field, so that a name that is an ordinary
        word elsewhere (Maker, Stake) needs no other word beside it; a numbered block is nobody's name."""
        found = find(self.rules, text + OF_THE_FIELD)
        return [one for one in found if one.end <= len(text) and not units.is_label(text, one.start, one.end)]

    def _authority(self, document: Document, about: set[str]) -> Authority:
        """The best of the addresses that tell the same."""
        urls = document.urls or (document.url,)
        return max((self.authorities.classify(url, about=about) for url in urls), key=lambda one: one.score)

    def _name(self, document: Document, authority: Authority) -> str:
        """Who is speaking, as a reason names it: the entity that answers for the address, or its host."""
        owner = self.rules.entities.get(authority.owner or "")
        if owner is not None:
            return owner.name("en")
        return document.url.split("/")[2].removeprefix("www.")


def best_relevance(weighed: Sequence[Weighed]) -> float:
    return max((one.evidence.relevance for one in weighed if one.is_about), default=0.0)


def strong_ones_disagree(weighed: Sequence[Weighed]) -> bool:
    """Whether two strong sources on one event say two things."""
    strong = [one.evidence.comparison for one in weighed if one.is_about and one.authority.is_official]
    return any(one.differences for one in strong) and any(not one.differences for one in strong)
