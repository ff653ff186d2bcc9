"""Checks acts that a claim only mentions beside a name: the bankrupt lender Celsius, 破綻したFTX.

Such an act is another event than that of the claim, so that another record may tell it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from backend.entities.model import Language
from backend.sources.assessment.evidence_scoring import EvidenceScorer, ScoredDocument
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import Action, ParsedStatement

_LEADS_EN = re.compile(r"(?:^|\b(?:the|an?|now|its|of|by|from|with|and) )$", re.IGNORECASE)
"""Words before an English act that make it describe what follows: the bankrupt lender."""
_BETWEEN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?: (?!(?:of|for|its|the|by|to|it|in|on|after|before|with|and|an?|from|at|his|her|their|against"
        r"|over|that|which|who)\b)[\w-]+){0,2} "
    ),
    "ja": re.compile("[^、。はがをに]{0,12}"),
    "zh": re.compile("[^，。]{0,2}的[^，。的]{0,8}"),
}
"""Text between an act and the name that it describes."""


def check_background_acts(
    claim: ParsedStatement, scored: Sequence[ScoredDocument], scorer: EvidenceScorer
) -> list[ScoredDocument]:
    """Drop the missing acts that only describe an entity of ``claim`` and that any record tells of it."""
    told = {claim.restore(action.text) for action in _list_told_acts(claim, scored, scorer)}
    return [_drop_acts(document, told) for document in scored] if told else list(scored)


def _list_told_acts(
    claim: ParsedStatement, scored: Sequence[ScoredDocument], scorer: EvidenceScorer
) -> Iterator[Action]:
    missing = {
        element.text
        for document in scored
        for element in document.evidence.comparison.missing
        if element.kind == "act"
    }
    for action in claim.actions:
        entity_id = find_described_entity(claim, action)
        if claim.restore(action.text) in missing and entity_id is not None:
            accepted = {action.verb} | (load_verbs()[action.verb].supported_by or frozenset())
            if any(_tells(document, entity_id, accepted, scorer) for document in scored):
                yield action


def find_described_entity(claim: ParsedStatement, action: Action) -> str | None:
    """Return the entity right behind an act, in the same noun phrase."""
    following = next((mention for mention in claim.mentions if mention.start >= action.end), None)
    if following is None:
        return None
    if claim.language == "en" and not _LEADS_EN.search(claim.text[: action.start]):
        return None
    is_phrase = _BETWEEN[claim.language].fullmatch(claim.text, action.end, following.start) is not None
    return following.entity_id if is_phrase else None


def _tells(document: ScoredDocument, entity_id: str, accepted: set[str], scorer: EvidenceScorer) -> bool:
    if document.document.kind != "landmark" or entity_id not in document.document.entities:
        return False
    passage = scorer.parse_passage(document.document, document.passage)
    return any(action.affirmed and action.verb in accepted for action in passage.actions)


def _drop_acts(document: ScoredDocument, texts: set[str]) -> ScoredDocument:
    comparison = document.evidence.comparison
    missing = frozenset(
        element for element in comparison.missing if element.kind != "act" or element.text not in texts
    )
    return replace(
        document, evidence=replace(document.evidence, comparison=replace(comparison, missing=missing))
    )
