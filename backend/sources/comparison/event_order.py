"""Compares which of two parties was first: a week before CME, CMEより1週間早く, 比CME早一周."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.model import ComparedValue, ParsedStatement

Order = Literal["before", "after"]

_LEADS: Mapping[Language, tuple[tuple[Order, re.Pattern[str]], ...]] = {
    "en": (
        (
            "before",
            re.compile(r"\b(?:before|ahead of|prior to|earlier than)(?: those| that)?(?: of)?(?: the)? $"),
        ),
        ("after", re.compile(r"\b(?:after|behind|later than)(?: those| that)?(?: of)?(?: the)? $")),
    ),
    "ja": (),
    "zh": (
        ("before", re.compile("(?:早于|先于|领先于)$")),
        ("after", re.compile("(?:晚于|落后于)$")),
    ),
}
_TAILS: Mapping[Language, tuple[tuple[Order, re.Pattern[str]], ...]] = {
    "en": (
        (
            "after",
            re.compile(
                r"(?:'s?)?(?: [\w-]+){0,3}"
                r" (?:(?:came|was|were|got there|arrived|went|launched|opened|started) first"
                r"|led the way|was first (?:out|to)|beat [^.;]{3,40} to it)\b"
            ),
        ),
        ("before", re.compile(r"(?:'s?)?(?: [\w-]+){0,3} (?:followed|came second|came later)\b")),
    ),
    "ja": (
        ("before", re.compile("(?:の|より|に)[^。、]{0,8}?(?:前|先んじ|先立|先に|早)")),
        (
            "after",
            re.compile(
                "(?:の|より|に)[^。、]{0,8}?(?:後|遅れ|遅く)|[がは][^。、]{0,10}?(?:先行|先に|先んじ|一番乗り|いち早く)"
            ),
        ),
    ),
    "zh": (
        ("before", re.compile("[^，。]{0,8}?(?:之前|以前|早)")),
        ("after", re.compile("[^，。]{0,8}?(?:之后|以后|晚|抢先|搶先|率先|先行)")),
    ),
}
_THAN_ZH = ("比", "较")
_COMPARED_ZH: tuple[tuple[Order, re.Pattern[str]], ...] = (
    ("before", re.compile("[^，。]{0,12}?(?:早|抢先|领先|提前|先)")),
    ("after", re.compile("[^，。]{0,12}?(?:晚|迟|落后)")),
)
"""What follows a name behind *than*: 比CME早, 比CME抢先."""
MAX_LEAD_CHARS = 28


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return the two orders if the claim has another party first than the passage."""
    claim_orders, passage_orders = list(_find_orders(claim)), list(_find_orders(passage))
    entity_ids = [{mention.entity_id for mention in text.mentions} for text in (claim, passage)]
    for order, party, words in claim_orders:
        for other_order, other_party, other_words in passage_orders:
            is_reversed = order != other_order and party == other_party
            are_both_named = {party, other_party} <= entity_ids[0] & entity_ids[1]
            is_exchanged = order == other_order and party != other_party and are_both_named
            if is_reversed or is_exchanged:
                return ComparedValue("polarity", words, other_words)
    return None


def _find_orders(statement: ParsedStatement) -> Iterator[tuple[Order, str, str]]:
    """Yield order, entity and words for each entity that something came before or after."""
    lowered = statement.text.lower()
    parties = [mention for mention in statement.mentions if not _is_possessed(statement, mention)]
    for mention in parties:
        start = max(0, mention.start - MAX_LEAD_CHARS)
        for order, pattern in _LEADS[statement.language]:
            if (match := pattern.search(lowered[start : mention.start])) is not None:
                yield order, mention.entity_id, statement.text[start + match.start() : mention.end]
        is_compared = statement.language == "zh" and lowered.endswith(_THAN_ZH, 0, mention.start)
        for order, pattern in _COMPARED_ZH if is_compared else _TAILS[statement.language]:
            match = pattern.match(lowered, mention.end)
            if match is not None and not any(match.start() <= other.start < match.end() for other in parties):
                yield order, mention.entity_id, statement.text[mention.start : match.end()]
                break


def _is_possessed(statement: ParsedStatement, mention: Mention) -> bool:
    """True if a name belongs to another one, which is the party: CME's bitcoin futures."""
    return any(
        _POSSESSIVE.fullmatch(statement.text, other.end, mention.start) is not None
        for other in statement.mentions
        if other.end < mention.start
    )


_POSSESSIVE = re.compile("(?:'s|’s) |の|的")
