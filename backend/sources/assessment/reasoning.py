"""Explains an assessment: the deciding slot, the values of both sides, and the source."""

import calendar
import re
from collections.abc import Iterable, Sequence

from backend.entities.model import Language
from backend.sources.assessment.evidence import Evidence
from backend.sources.assessment.reasoning_texts import PHRASES
from backend.sources.claims.model import ComparedValue, ElementKind, MissingElement
from backend.sources.schemas import MIXED, SUPPORTED, UNVERIFIED, Assessment

MAX_SENTENCES = 3
MAX_QUOTE_CHARS = 120
MAX_PAGE_CHARS = 70
"""Maximum length of an address in a sentence."""
_ELEMENT_ORDER = ("figure", "name", "place", "act", "negation", "modality", "qualifier", "clause")
_ALWAYS_NAMED: frozenset[ElementKind] = frozenset({"figure", "name", "place", "negation", "modality"})
"""Elements that are named even if a clause that is quoted has them too."""
_SLOT_ORDER = ("date", "figure", "roles", "agent", "polarity")


def explain_unknown(language: Language, *, searched_web: bool = False) -> str:
    """Say what was searched for a claim without evidence."""
    phrases = PHRASES[language]
    return phrases["unknown"].format(web=phrases["unknown:web"] if searched_web else "")


def explain_no_claim(language: Language) -> str:
    """Return the sentence for a question, a forecast, an opinion or a bare name."""
    return PHRASES[language]["no_claim"]


def explain(language: Language, assessment: Assessment, deciding: Evidence, opposing: Evidence | None) -> str:
    """Return one to three sentences; ``opposing`` is the weightiest evidence of the other side, if any."""
    phrases = PHRASES[language]
    if assessment == MIXED and opposing is not None:
        sentences = [
            phrases["mixed"],
            _explain_first_slot(language, deciding),
            _explain_first_slot(language, opposing),
        ]
    else:
        sentences = _explain_slots(language, assessment, deciding)[: MAX_SENTENCES - (opposing is not None)]
        if opposing is not None:
            side = "though:differs" if opposing.comparison.differences else "though:agrees"
            sentences.append(phrases[side].format(source=_name_source(language, opposing)))
    return _join(language, sentences)


def explain_unknown_host(language: Language, deciding: Evidence) -> str:
    """Say that only a host of unknown authority tells of the claim, and what it says."""
    only = PHRASES[language]["only"].format(source=_name_source(language, deciding))
    return _join(language, [only, *_explain_slots(language, SUPPORTED, deciding)[: MAX_SENTENCES - 1]])


def _join(language: Language, sentences: Sequence[str]) -> str:
    """Join sentences, each with a capital at its start."""
    return (" " if language == "en" else "").join(
        sentence[:1].upper() + sentence[1:] for sentence in sentences
    )


def _name_source(language: Language, evidence: Evidence) -> str:
    """Return the name of a source; a record of the archive is named with the page that it cites."""
    if not evidence.is_record:
        return _truncate(evidence.source_name)
    page = evidence.url.partition("://")[2].removeprefix("www.").rstrip("/")
    if len(page) > MAX_PAGE_CHARS:
        page = f"{page[: MAX_PAGE_CHARS - 1]}…"
    return PHRASES[language]["record"].format(page=page)


def _explain_slots(language: Language, assessment: Assessment, evidence: Evidence) -> list[str]:
    comparison = evidence.comparison
    if comparison.differences:
        ordered = sorted(comparison.differences, key=lambda difference: _SLOT_ORDER.index(difference.slot))
        return [_format_sentence(language, "differs", difference, evidence) for difference in ordered]
    if comparison.missing and (comparison.is_sufficient or not comparison.agreed):
        return _explain_missing(language, evidence)
    if comparison.agreed:
        key = "partly" if assessment == UNVERIFIED else "agrees"
        return [
            PHRASES[language][key].format(
                source=_name_source(language, evidence), claimed=_list_agreed(language, evidence)
            )
        ]
    key = "unclear" if assessment == UNVERIFIED else "same_event"
    return [PHRASES[language][key].format(source=_name_source(language, evidence))]


def _list_agreed(language: Language, evidence: Evidence) -> str:
    """List the agreeing values, each with its wording in the source where that differs."""
    phrases = PHRASES[language]
    values: dict[str, None] = {}
    for agreement in evidence.comparison.agreed:
        source_value = _format_value(language, agreement.found)
        is_equal = source_value.lower() == agreement.claimed.lower()
        value = (
            agreement.claimed
            if is_equal
            else phrases["equals"].format(claimed=agreement.claimed, found=source_value)
        )
        values[_truncate(value)] = None
    return phrases["comma"].join(values)


_ISO_DATE = re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})(?:-(?P<day>\d{2}))?")


def _format_value(language: Language, text: str) -> str:
    """Write the date of a record (2024-04-20) in the reader's language; other values stay as they are."""
    match = _ISO_DATE.fullmatch(text)
    if match is None:
        return text
    month = int(match["month"])
    return PHRASES[language]["day" if match["day"] else "month"].format(
        year=match["year"],
        month=calendar.month_name[month] if language == "en" else month,
        day=int(match["day"] or 1),
    )


def _explain_missing(language: Language, evidence: Evidence) -> list[str]:
    """Say what the source confirms and which element of the statement no source tells."""
    phrases, comparison = PHRASES[language], evidence.comparison
    source = _name_source(language, evidence)
    sentences = [
        phrases["confirms"].format(source=source, claimed=_list_agreed(language, evidence))
        if comparison.agreed
        else phrases["tells"].format(source=source)
    ]
    ordered = sorted(
        _leave_out_parts(comparison.missing),
        key=lambda element: (_ELEMENT_ORDER.index(element.kind), element.text),
    )
    sentences += [
        phrases[f"missing:{element.kind}"].format(claimed=_truncate(element.text))
        for element in ordered[: MAX_SENTENCES - 1]
    ]
    return sentences


def _leave_out_parts(elements: Iterable[MissingElement]) -> list[MissingElement]:
    """Leave out an act, a qualifier or a clause that a longer element quotes."""
    kept: list[MissingElement] = []
    for element in sorted(elements, key=lambda element: (-len(element.text), element.kind)):
        if element.kind in _ALWAYS_NAMED or not any(element.text in other.text for other in kept):
            kept.append(element)
    return kept


def _explain_first_slot(language: Language, evidence: Evidence) -> str:
    return _explain_slots(language, SUPPORTED, evidence)[0]


def _format_sentence(language: Language, verb: str, difference: ComparedValue, evidence: Evidence) -> str:
    return PHRASES[language][f"{verb}:{difference.slot}"].format(
        claimed=_truncate(difference.claimed),
        found=_truncate(_format_value(language, difference.found)),
        source=_name_source(language, evidence),
    )


def _truncate(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_QUOTE_CHARS else text[: MAX_QUOTE_CHARS - 1] + "…"
