"""Compares which of two parties owns, runs or founded the other: X, the owner of Y; Y's parent; X旗下的Y."""

import re
from collections.abc import Mapping

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


def find_difference(claim: ParsedStatement, passage: ParsedStatement) -> ComparedValue | None:
    """Return the claim's words for the party above, if the passage has it below or the other party above."""
    superiors, inferiors = (_find_parties(claim, markers) for markers in (_SUPERIOR, _INFERIOR))
    other_superiors, other_inferiors = (_find_parties(passage, markers) for markers in (_SUPERIOR, _INFERIOR))
    if superiors.keys() & other_superiors.keys() or inferiors.keys() & other_inferiors.keys():
        return None
    for party in superiors.keys() & other_inferiors.keys():
        return ComparedValue("roles", superiors[party], other_inferiors[party])
    for party in inferiors.keys() & other_superiors.keys():
        return ComparedValue("roles", inferiors[party], other_superiors[party])
    return None


def _find_parties(
    statement: ParsedStatement, markers: Mapping[Language, tuple[re.Pattern[str], re.Pattern[str]]]
) -> dict[str, str]:
    """Map the entities with a marker before or behind their names to the words that tell it."""
    before, behind = markers[statement.language]
    text, parties = statement.text, dict[str, str]()
    for mention in statement.mentions:
        start = max(0, mention.start - MAX_LEAD_CHARS)
        if (match := before.search(text[start : mention.start])) is not None:
            parties.setdefault(mention.entity_id, text[start + match.start() : mention.end].strip(" ,'s"))
        elif (match := behind.match(text, mention.end)) is not None:
            parties.setdefault(mention.entity_id, text[mention.start : match.end()])
    return parties
