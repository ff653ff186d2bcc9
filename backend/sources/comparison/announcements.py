"""Finds a claim that dates an act on the day on which it was only announced."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.sources.claims import dates
from backend.sources.claims.model import ComparedValue
from backend.sources.comparison.claim_passage import ClaimAndPassage

_CLAUSE_END = re.compile(r"[,.;!?](?=\s|$)|[、。，；！？\n]")
_ANNOUNCING: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:announc\w+|sa(?:id|ys?|ying)|stat\w+|declar\w+|reveal\w*|confirm\w*|plan\w*|will|would|agree\w*|intend\w*"
        r"|pledg\w+|promis\w+|to)\b"
    ),
    "ja": re.compile("発表|表明|公表|明らか|予定|計画|方針|意向|合意|約束|告知|する(?:と|こと)|へ[。」]?$"),
    "zh": re.compile("宣布|公布|表示|表明|透露|计划|将|拟|同意|承诺|预告"),
}


def find_difference(inputs: ClaimAndPassage) -> ComparedValue | None:
    """Return the date that a record gives for the claim's act, if the claim gives that of its announcement.

    The record tells of an announcement and gives a later date for each act of the claim; the claim has the
    day of the record and no word of announcing or planning.
    """
    claim, passage, event_date = inputs.claim, inputs.passage, inputs.event_date
    if (
        event_date is None
        or not claim.actions
        or not any(dates.can_agree(claim_date, event_date) for claim_date in claim.dates)
    ):
        return None
    if _ANNOUNCING[claim.language].search(claim.text.lower()):
        return None
    claimed = {action.verb for action in claim.actions}
    for passage_date in passage.dates:
        if passage_date.first <= event_date.last or any(
            dates.can_agree(claim_date, passage_date) for claim_date in claim.dates
        ):
            continue
        start = max(
            (match.end() for match in _CLAUSE_END.finditer(passage.text, 0, passage_date.start)), default=0
        )
        stop = _CLAUSE_END.search(passage.text, passage_date.end)
        end = stop.start() if stop else len(passage.text)
        if not _ANNOUNCING[passage.language].search(passage.text[start:end].lower()):
            continue
        dated = {action.verb for action in passage.actions if start <= action.start < end}
        if claimed <= dated:
            claim_date = next(
                claim_date for claim_date in claim.dates if dates.can_agree(claim_date, event_date)
            )
            return ComparedValue("date", claim_date.text, passage_date.text)
    return None
