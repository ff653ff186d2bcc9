"""Why an assessment came out as it did: which slot, what either side says, and who says it."""

from backend.entities.model import Language
from backend.sources.assessment.evidence import Evidence
from backend.sources.assessment.reasoning_texts import PHRASES
from backend.sources.claims.model import Difference
from backend.sources.schemas import AssessmentWord

MOST_SENTENCES = 3
LONGEST_QUOTE = 120
_WEIGHT = ("date", "figure", "agent", "polarity")


def unknown(language: Language) -> str:
    """The sentence for a claim that nothing tells of."""
    return PHRASES[language]["unknown"]


def no_claim(language: Language) -> str:
    """The sentence for a question, a forecast, an opinion or a bare name."""
    return PHRASES[language]["no_claim"]


def of(language: Language, assessment: AssessmentWord, deciding: Evidence, other: Evidence | None) -> str:
    """One to three sentences; ``other`` is the weightiest evidence of the other side, where there is one."""
    phrases = PHRASES[language]
    if assessment == "mixed" and other is not None:
        sentences = [phrases["mixed"], _first(language, deciding), _first(language, other)]
    else:
        sentences = _all(language, assessment, deciding)[: MOST_SENTENCES - (other is not None)]
        if other is not None:
            side = "though:differs" if other.comparison.differences else "though:agrees"
            sentences.append(phrases[side].format(source=_short(other.source_name)))
    return (" " if language == "en" else "").join(sentences)


def _all(language: Language, assessment: AssessmentWord, evidence: Evidence) -> list[str]:
    found = evidence.comparison
    if found.differences:
        ordered = sorted(found.differences, key=lambda difference: _WEIGHT.index(difference.slot))
        return [_sentence(language, "differs", difference, evidence) for difference in ordered]
    if found.agreed:
        return [_sentence(language, "agrees", same, evidence) for same in found.agreed]
    key = "unclear" if assessment == "unverified" else "same_event"
    return [PHRASES[language][key].format(source=_short(evidence.source_name))]


def _first(language: Language, evidence: Evidence) -> str:
    return _all(language, "supported", evidence)[0]


def _sentence(language: Language, verb: str, difference: Difference, evidence: Evidence) -> str:
    return PHRASES[language][f"{verb}:{difference.slot}"].format(
        claimed=_short(difference.claimed),
        found=_short(difference.found),
        source=_short(evidence.source_name),
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"
