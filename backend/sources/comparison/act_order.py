"""Compares which of two acts came first: froze withdrawals after it had filed, 申請した後に停止.

The days of the acts are those of the passage: the date in an act's clause, else the day of the event.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from backend.entities.model import Language
from backend.sources.claims.actions import load_verbs
from backend.sources.claims.model import Action, ComparedValue, DateSpan, ParsedStatement

Order = Literal["before", "after"]
_CONNECTORS: Mapping[Language, tuple[tuple[Order, re.Pattern[str]], ...]] = {
    "en": (
        ("after", re.compile(r"\b(?:after|following|once)\b")),
        ("before", re.compile(r"\b(?:before|prior to|ahead of|by the time)\b")),
    ),
    "ja": (
        ("after", re.compile(r"(?:した|された|して|ってから?|った|の)(?:後|あと|のち)|てから")),
        (
            "before",
            re.compile(
                "(?:する|される|る|の)(?:前|まえ)(?:に|の|から|、)|に先立"
                "|(?:時点|とき|際)(?:で|に)?は?、?[^。、]{0,16}?(?:すでに|既に|とっくに)"
            ),
        ),
    ),
    "zh": (
        (
            "after",
            re.compile(
                "(?:之后|以后|(?<![最然背今此前幕随先落善往午])后)(?=[，才再又便就并]|[\u4e00-\u9fff])"
            ),
        ),
        (
            "before",
            re.compile(
                "(?:之前|以前|(?<![目当此提先从面生跟空日])前)(?=[，就已便]|[\u4e00-\u9fff])|时[，,]?[^，。]{0,16}?(?:早已|已经|已)"
            ),
        ),
    ),
}
_SENTENCE_END = re.compile(r"[.;!?](?=\s|$)|[。；！？\n]")
_CLAUSE_END = re.compile(r"[.,;!?](?=\s|$)|[、。，；！？\n]")


def find_difference(
    claim: ParsedStatement, passage: ParsedStatement, event_date: DateSpan | None
) -> ComparedValue | None:
    """Return the claim's order if the record of ``event_date`` dates the two acts the other way round."""
    orders = [*_find_orders(claim)] if event_date is not None else []
    if event_date is None or not orders:
        return None
    days = _date_acts(passage, event_date)
    for earlier, later, words in orders:
        if (told := _find_presupposed(earlier, later, passage)) is not None:
            return ComparedValue("polarity", words, told.text)
        pairs = [
            (first, second)
            for early in earlier
            for late in later
            if early.verb != late.verb
            for first in days.get(early.verb, ())
            for second in days.get(late.verb, ())
        ]
        if pairs and all(second.last < first.first for first, second in pairs):
            return ComparedValue("polarity", words, f"{pairs[0][1].text} – {pairs[0][0].text}")
    return None


def _find_orders(claim: ParsedStatement) -> Iterator[tuple[Sequence[Action], Sequence[Action], str]]:
    """Yield the earlier acts, the later ones and the words for each pair of acts that the claim orders."""
    lowered = claim.text.lower()
    for order, pattern in _CONNECTORS[claim.language]:
        for match in pattern.finditer(lowered):
            start, end = _find_sentence(claim.text, match)
            before = [action for action in claim.actions if start <= action.start < match.start()]
            behind = [action for action in claim.actions if match.end() <= action.start < end]
            if claim.language == "en" and not before:  # After it had filed, it froze withdrawals.
                comma = claim.text.find(",", match.end(), end)
                before = [action for action in behind if comma >= 0 and action.start > comma]
                behind = [action for action in behind if action.start < comma]
            first, second = (behind, before) if claim.language == "en" else (before, behind)
            if first and second:
                earlier, later = (first, second) if order == "after" else (second, first)
                yield earlier, later, claim.text[start:end].strip()


def _find_presupposed(
    earlier: Sequence[Action], later: Sequence[Action], passage: ParsedStatement
) -> Action | None:
    """Find an act of the passage that the claim puts after one that presupposes it: convicted after the
    sentence."""
    presupposed = {
        verb for action in earlier for verb in load_verbs()[action.verb].after if load_verbs()[verb].once
    }
    presupposed &= {action.verb for action in later} - {action.verb for action in earlier}
    return next((action for action in passage.actions if action.verb in presupposed), None)


def _find_sentence(text: str, match: re.Match[str]) -> tuple[int, int]:
    start = max((stop.end() for stop in _SENTENCE_END.finditer(text, 0, match.start())), default=0)
    stop = _SENTENCE_END.search(text, match.end())
    return start, stop.start() if stop else len(text)


def _date_acts(passage: ParsedStatement, event_date: DateSpan) -> dict[str, list[DateSpan]]:
    """Map each act of a record to its days; acts without a date in their clause have that of the event, if
    they stand in its first sentence, and no known one otherwise."""
    text = passage.text
    title = _SENTENCE_END.search(text)
    title_end = title.start() if title else len(text)
    days: dict[str, list[DateSpan]] = {}
    for action in passage.actions:
        start = max((stop.end() for stop in _CLAUSE_END.finditer(text, 0, action.start)), default=0)
        stop = _CLAUSE_END.search(text, action.end)
        end = stop.start() if stop else len(text)
        dated = [span for span in passage.dates if start <= span.start < end]
        if dated:
            days.setdefault(action.verb, []).extend(dated)
        elif action.start < title_end:
            days.setdefault(action.verb, []).append(event_date)
    return days
