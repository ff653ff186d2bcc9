"""Compares which of two parties owns, runs or founded the other: X, the owner of Y; Y's parent; X旗下的Y."""

import re
from collections.abc import Mapping

from backend.entities.mention import Mention
from backend.entities.model import Language
from backend.sources.claims.model import ComparedValue, ParsedStatement

_ABOVE_EN = (
    r"(?:sole |majority |former )?(?:owner|parent|operator|(?:co-?)?founder|creator)(?: company| firm)?"
)
_BELOW_EN = r"(?:[\w-]+ ){0,2}(?:subsidiary|unit|arm|division|offshoot|affiliate|venture|spin-?off)"
_ABOVE_JA, _BELOW_JA = (
    "(?:親会社|運営会社|創業者|創設者|所有者|オーナー)",
    "(?:傘下|(?:完全)?子会社|グループ会社)",
)
_ABOVE_ZH, _BELOW_ZH = "(?:母公司|运营方|创始人|创办人|所有者|拥有者|东家)", "(?:旗下|(?:全资)?子公司)"
_WHO_EN = r"(?:,|, which is| is| was|, itself)?"
_SUPERIOR: Mapping[Language, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "en": (
        re.compile(rf"(?:\b{_BELOW_EN} of|\bowned by|\bfounded by|'s {_ABOVE_EN},?) (?:the )?$"),
        re.compile(rf"(?:'s {_BELOW_EN}\b|-owned\b|{_WHO_EN} (?:the |a )?{_ABOVE_EN} of\b)"),
    ),
    "ja": (
        re.compile(f"の{_ABOVE_JA}(?:である|だった|の|、)?$"),
        re.compile(f"の?{_BELOW_JA}|(?:は|が)[^、。]{{1,16}}の{_ABOVE_JA}"),
    ),
    "zh": (
        re.compile(f"{_ABOVE_ZH}$"),
        re.compile(f"的?{_BELOW_ZH}|[，,]?(?:它|其)?(?:是|为|系)[^，。]{{1,16}}的{_ABOVE_ZH}"),
    ),
}
"""What stands before and behind the name of the party that owns, runs or founded something."""
_INFERIOR: Mapping[Language, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "en": (
        re.compile(rf"\b{_ABOVE_EN} of (?:the )?$|'s {_BELOW_EN},? (?:the )?$|-owned $"),
        re.compile(rf"(?:'s {_ABOVE_EN}\b|{_WHO_EN} (?:the |a )?{_BELOW_EN} of\b|,? owned by\b)"),
    ),
    "ja": (
        re.compile(f"{_BELOW_JA}(?:である|だった|の|、)?$"),
        re.compile(f"の{_ABOVE_JA}|(?:は|が)[^、。]{{1,16}}の{_BELOW_JA}"),
    ),
    "zh": (
        re.compile(f"{_BELOW_ZH}的?$"),
        re.compile(f"的?{_ABOVE_ZH}|[，,]?(?:它|其)?(?:是|为|系)[^，。]{{1,16}}{_BELOW_ZH}"),
    ),
}
"""The same for the party that is owned, run or was founded."""
MAX_LEAD_CHARS = 60
_BETWEEN = re.compile(
    r"[,，、]?\s*(?:(?:which|itself|is|was|now|the|a|an)\s+)*"
    "|(?:の|である|だった|は|が|、|的|是|为|系|，)"
)
"""What may stand between a marker and the other party."""


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return the claim's words for the party above another, if the passage has the same two reversed."""
    relations, other_relations = _find_relations(claim), _find_relations(passage)
    if relations.keys() & other_relations.keys():
        return None
    for (superior, inferior), words in relations.items():
        if (inferior, superior) in other_relations:
            return ComparedValue("roles", words, other_relations[inferior, superior])
    return None


def _find_relations(statement: ParsedStatement) -> dict[tuple[str, str], str]:
    """Map each pair of the party above and the party below to the words that tell it."""
    relations = dict[tuple[str, str], str]()
    for markers, is_superior in ((_SUPERIOR, True), (_INFERIOR, False)):
        before, behind = markers[statement.language]
        for mention in statement.mentions:
            first = max(0, mention.start - MAX_LEAD_CHARS)
            lead = before.search(statement.text[first : mention.start])
            if lead is not None:
                start, end = first + lead.start(), mention.end
            elif (trail := behind.match(statement.text, mention.end)) is not None:
                start, end = mention.start, trail.end()
            else:
                continue
            other = _find_counterpart(statement, mention, start, end, is_before=lead is not None)
            if other is not None:
                pair = (mention.entity_id, other) if is_superior else (other, mention.entity_id)
                words = statement.text[start:end].removeprefix("'s").strip(" ,")
                relations.setdefault(pair, words)
    return relations


def _find_counterpart(
    statement: ParsedStatement, party: Mention, start: int, end: int, *, is_before: bool
) -> str | None:
    """Return the entity inside the words of a marker, or else next to them; None if no known one is there."""
    others = [mention for mention in statement.mentions if mention.entity_id != party.entity_id]
    for other in others:
        if start <= other.start and other.end <= end:
            return other.entity_id
    for other in others:
        gap = (other.end, start) if is_before else (end, other.start)
        if gap[0] <= gap[1] and _BETWEEN.fullmatch(statement.text, gap[0], gap[1]):
            return other.entity_id
    return None
