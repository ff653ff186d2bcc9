"""Explains an assessment: the deciding slot, the values of both sides, and the source."""

from backend.entities.model import Language
from backend.sources.assessment.evidence import Evidence
from backend.sources.assessment.reasoning_texts import PHRASES
from backend.sources.claims.model import Difference
from backend.sources.schemas import MIXED, SUPPORTED, UNVERIFIED, AssessmentWord

MAX_SENTENCES = 3
MAX_QUOTE_CHARS = 120
_ELEMENT_ORDER = ("figure", "name", "place", "act", "negation", "modality", "qualifier", "clause")
_SLOT_ORDER = ("date", "figure", "roles", "agent", "polarity")


def explain_unknown(language: Language) -> str:
    """Return the sentence for a claim without evidence."""
    return PHRASES[language]["unknown"]


def explain_no_claim(language: Language) -> str:
    """Return the sentence for a question, a forecast, an opinion or a bare name."""
    return PHRASES[language]["no_claim"]


def explain(
    language: Language, assessment: AssessmentWord, deciding: Evidence, other: Evidence | None
) -> str:
    """Return one to three sentences; ``other`` is the weightiest evidence of the other side, if any."""
    phrases = PHRASES[language]
    if assessment == MIXED and other is not None:
        sentences = [
            phrases["mixed"],
            _explain_first_slot(language, deciding),
            _explain_first_slot(language, other),
        ]
    else:
        sentences = _explain_slots(language, assessment, deciding)[: MAX_SENTENCES - (other is not None)]
        if other is not None:
            side = "though:differs" if other.comparison.differences else "though:agrees"
            sentences.append(phrases[side].format(source=_truncate(other.source_name)))
    return (" " if language == "en" else "").join(sentences)


def explain_unknown_host(language: Language, deciding: Evidence) -> str:
    """Say that only a host of unknown authority tells of the claim, and what it says."""
    only = PHRASES[language]["only"].format(source=_truncate(deciding.source_name))
    sentences = [only, *_explain_slots(language, SUPPORTED, deciding)[: MAX_SENTENCES - 1]]
    return (" " if language == "en" else "").join(sentences)


def _explain_slots(language: Language, assessment: AssessmentWord, evidence: Evidence) -> list[str]:
    found = evidence.comparison
    if found.differences:
        ordered = sorted(found.differences, key=lambda difference: _SLOT_ORDER.index(difference.slot))
        return [_format_sentence(language, "differs", difference, evidence) for difference in ordered]
    if found.missing:
        return _explain_missing(language, evidence)
    if found.agreed:
        return [_format_sentence(language, "agrees", same, evidence) for same in found.agreed]
    key = "unclear" if assessment == UNVERIFIED else "same_event"
    return [PHRASES[language][key].format(source=_truncate(evidence.source_name))]


def _explain_missing(language: Language, evidence: Evidence) -> list[str]:
    """Say what the source confirms and which element of the statement no source tells."""
    phrases, found = PHRASES[language], evidence.comparison
    source = _truncate(evidence.source_name)
    agreed = dict.fromkeys(same.claimed for same in found.agreed)
    sentences = [
        phrases["confirms"].format(source=source, claimed=_truncate(phrases["comma"].join(agreed)))
        if agreed
        else phrases["tells"].format(source=source)
    ]
    ordered = sorted(found.missing, key=lambda one: (_ELEMENT_ORDER.index(one.kind), one.text))
    sentences += [
        phrases[f"missing:{one.kind}"].format(claimed=_truncate(one.text))
        for one in ordered[: MAX_SENTENCES - 1]
    ]
    return sentences


def _explain_first_slot(language: Language, evidence: Evidence) -> str:
    return _explain_slots(language, SUPPORTED, evidence)[0]


def _format_sentence(language: Language, verb: str, difference: Difference, evidence: Evidence) -> str:
    return PHRASES[language][f"{verb}:{difference.slot}"].format(
        claimed=_truncate(difference.claimed),
        found=_truncate(difference.found),
        source=_truncate(evidence.source_name),
    )


def _truncate(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_QUOTE_CHARS else text[: MAX_QUOTE_CHARS - 1] + "…"
