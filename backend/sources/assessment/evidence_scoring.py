"""Scores documents as evidence for and against claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from backend.articles.engine import RuleSet
from backend.articles.text.language_detection import detect
from backend.documents.model import Document
from backend.documents.tokenizer import query_terms
from backend.entities.mention import Mention
from backend.entities.model import LANGUAGES, Language
from backend.extraction.mentions import find_mentions
from backend.sources.assessment.evidence import Evidence
from backend.sources.authority import Authorities, Authority
from backend.sources.claims import dates, units
from backend.sources.claims.claim_parser import parse_claim
from backend.sources.claims.model import Comparison, ParsedStatement
from backend.sources.claims.simhash import compute_fingerprint
from backend.sources.comparison.claim_comparison import compare
from backend.sources.comparison.relevance import compute_relevance
from backend.sources.retrieval import content_sanitizer
from backend.sources.retrieval.passages import choose_passages, split_passages

PASSAGE_CACHE_SIZE = 4_000
"""Number of parsed passages in the cache; the archive has about 400."""
MIN_RECORD_AUTHORITY = 0.6
"""Authority of a record of the shipped archive whose sources are on hosts without an owner in the catalogue,
such as a forum of 2010."""
FIELD_CONTEXT = " (bitcoin, cryptocurrency, blockchain)"
"""Appended to a text that is known to be about crypto assets, so that ambiguous names are recognised."""


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document with its best passage on one claim."""

    document: Document
    passage: str
    evidence: Evidence
    authority: Authority
    shared_entities: int = 0
    """Number of the claim's entities that the document names, even if it is about another event."""

    @property
    def is_about(self) -> bool:
        """Whether the passage is about the claim's event."""
        return self.evidence.comparison.same_event


class EvidenceScorer:
    """Scores documents with one rule set. Thread-safe."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.authorities = Authorities(rules.entities)
        self._types: Mapping[str, str] = {name: entity.type for name, entity in rules.entities.items()}
        self._parse_cached = lru_cache(PASSAGE_CACHE_SIZE)(self._parse_text)
        self._fingerprint = lru_cache(PASSAGE_CACHE_SIZE)(compute_fingerprint)

    def parse_claim(self, text: str, language: Language) -> ParsedStatement:
        """Parse a statement with the entities that it names."""
        return parse_claim(text, language, self.find_mentions(text))

    def score_document(
        self, claim: ParsedStatement, document: Document, bm25: float, *, event_text: str = ""
    ) -> ScoredDocument:
        """Score the passage of ``document`` that is the best evidence on ``claim``.

        ``event_text`` is the text of the document's event in all languages.
        """
        about = {mention.entity_id for mention in claim.mentions}
        authority = self._find_best_authority(document, about)
        return max(
            (
                self._score_passage(claim, document, passage, bm25, authority, event_text)
                for passage in self._list_passages(claim, document)
            ),
            key=lambda scored: (
                scored.is_about,
                scored.evidence.relevance,
                -len(scored.evidence.comparison.differences),
            ),
        )

    def _list_passages(self, claim: ParsedStatement, document: Document) -> list[str]:
        passages = split_passages(document)
        return choose_passages(passages, query_terms([claim.text])) or passages[:1]

    def _score_passage(
        self,
        claim: ParsedStatement,
        document: Document,
        passage: str,
        bm25: float,
        authority: Authority,
        event_text: str,
    ) -> ScoredDocument:
        comparison = self._compare(claim, document, passage, bm25, event_text)
        if content_sanitizer.has_instructions(passage):  # a prompt injection has no vote
            comparison = Comparison(0, 0, 0, 0, (), same_event=False)
        evidence = Evidence(
            comparison,
            authority.score,
            compute_relevance(bm25, comparison),
            self._find_source_name(document, authority, claim.language),
            document.url,
            self._fingerprint(passage),
            document.kind == "landmark",
        )
        return ScoredDocument(
            document, passage, evidence, authority, self._count_shared_entities(claim, document, passage)
        )

    def _count_shared_entities(self, claim: ParsedStatement, document: Document, passage: str) -> int:
        document_entities = {
            *document.entities,
            *(mention.entity_id for mention in self.parse_passage(document, passage).mentions),
        }
        return len({mention.entity_id for mention in claim.mentions} & document_entities)

    def parse_passage(self, document: Document, passage: str) -> ParsedStatement:
        """Parse a passage of ``document``; relative dates count from the document's own."""
        published_at = document.published_at
        day = published_at.date().isoformat() if published_at else None
        return self._parse_cached(passage, day, document.language, document.kind == "landmark")

    def _compare(
        self, claim: ParsedStatement, document: Document, passage: str, bm25: float, event_text: str
    ) -> Comparison:
        """Compare: a record's date is the day of its event, a page's date that of its publication."""
        published_at = document.published_at
        is_record = document.kind == "landmark"
        return compare(
            claim,
            self.parse_passage(document, passage),
            document.facts,
            entity_types=self._types,
            event_date=dates.build_record_date(published_at, document.date_precision) if is_record else None,
            publication_date=published_at.date() if published_at and not is_record else None,
            listed_entity_ids=document.entities,
            bm25=bm25 or None,
            record_names={*self._list_names(document), event_text},
        )

    def _list_names(self, document: Document) -> frozenset[str]:
        """Return all names of the entities that a record is about."""
        entities = (self.rules.entities.get(name) for name in document.entities)
        return frozenset(
            name
            for entity in entities
            if entity is not None
            for name in (
                *entity.names.values(),
                *(name for names in entity.also.values() for name in names),
                *entity.symbols,
                *(former.name for former in entity.former),
            )
        )

    def _parse_text(
        self, passage: str, day: str | None, language: str | None, is_record: bool
    ) -> ParsedStatement:
        known_language = next((known for known in LANGUAGES if known == language), None) or detect([passage])
        reference = date.fromisoformat(day) if day else None
        mentions = self.find_mentions(passage) if is_record else find_mentions(self.rules, passage)
        return parse_claim(passage, known_language, mentions, reference_date=reference)

    def find_mentions(self, text: str) -> list[Mention]:
        """Find the entities that a statement or a record names.

        Both are about crypto assets, so an ambiguous name (Maker, Stake) needs no other word beside it. A
        numbered block is not a name.
        """
        mentions = find_mentions(self.rules, text + FIELD_CONTEXT)
        return [
            mention
            for mention in mentions
            if mention.end <= len(text) and not units.is_label(text, mention.start, mention.end)
        ]

    def _find_best_authority(self, document: Document, about: set[str]) -> Authority:
        """Return the highest authority among the document's URLs; a record of the archive is known."""
        urls = document.urls or (document.url,)
        authorities = (self.authorities.classify_source(url, document, about=about) for url in urls)
        best = max(authorities, key=lambda authority: authority.score)
        if document.kind == "landmark" and best.score < MIN_RECORD_AUTHORITY:
            return replace(best, score=MIN_RECORD_AUTHORITY)
        return best

    def _find_source_name(self, document: Document, authority: Authority, language: Language) -> str:
        """Return the source's name in the reasoning: the entity that owns the URL, or its host."""
        owner = self.rules.entities.get(authority.owner or "")
        if owner is not None:
            return owner.name(language)
        return document.url.split("/")[2].removeprefix("www.")


def find_best_relevance(scored: Sequence[ScoredDocument]) -> float:
    """Return the highest relevance of a document about the claim's event, or 0."""
    return max((one_scored.evidence.relevance for one_scored in scored if one_scored.is_about), default=0.0)


def has_official_disagreement(scored: Sequence[ScoredDocument]) -> bool:
    """Whether official sources on the event disagree with each other."""
    official = [
        one_scored.evidence.comparison
        for one_scored in scored
        if one_scored.is_about and one_scored.authority.is_official
    ]
    return any(comparison.differences for comparison in official) and any(
        not comparison.differences for comparison in official
    )
