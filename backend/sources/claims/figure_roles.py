"""Determines the role of a figure in its sentence: start of a change, end of a change, or incidental.

If a reward fell from 6.25 to 3.125 BTC, a claim that it fell to 6.25 uses a figure of the source in another
role. In a fine of 125 million dollars, far below the 2 billion asked for, the figure asked for is not the
fine."""

import re
from collections.abc import Mapping
from typing import Literal

from backend.entities.model import Language

Role = Literal["from", "to", "aside", "for", "against", "abstained", "total"]
VOTE_ROLES = frozenset({"for", "against", "abstained"})

_CHARS_BEFORE, _CHARS_AFTER = 90, 48
"""Characters before and after a figure that determine its role."""
_ABOUT = r"(?:about |nearly |just |only |roughly |some |over |under |around |approximately )?"
_CHANGED = (
    r"\b(?:cut\w*|reduc\w+|lower\w*|f[ae]ll\w*|drop\w*|declin\w+|decreas\w+|shr[aiu]nk\w*|halv\w+|slash\w*"
    r"|rose|ris(?:e|es|en|ing)|rais\w+|increas\w+|gr[eo]w\w*|doubl\w+|climb\w*|went|brought|chang\w+)\b"
)
_SOME_EN = r"(?:none|one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
_ASKED = r"(?:asked for|had asked|sought|seeks?|seeking|requested|demanded|had wanted)"
_BEFORE: Mapping[Language, tuple[tuple[Role, re.Pattern[str]], ...]] = {
    "en": (
        ("against", re.compile(r"\bagainst $")),
        ("total", re.compile(rf"\b{_SOME_EN} (?:out )?of (?:(?:the|its|his|her|their) )?$")),
        ("from", re.compile(rf"\bfrom {_ABOUT}$")),
        ("to", re.compile(r"\b(?:after|since|following|in the wake of) [^.;]{0,40}\bhalving\b[^.;]{0,60}$")),
        ("from", re.compile(r"\b(?:before|until|prior to) [^.;]{0,40}\bhalving\b[^.;]{0,60}$")),
        ("to", re.compile(rf"{_CHANGED}(?:[^.;]|\.(?=\d)){{0,60}}\bto {_ABOUT}$")),
        (
            "aside",
            re.compile(
                rf"\b(?:{_ASKED}|(?:below|short of|instead of|rather than|compared (?:with|to)) the)\b"
                r"[^.;,]{0,24}$"
            ),
        ),
    ),
    "ja": (
        ("for", re.compile("賛成(?:が|は)?$")),
        ("against", re.compile("反対(?:が|は)?$")),
        ("abstained", re.compile("棄権(?:が|は)?$")),
        ("to", re.compile("半減期?(?:の?後|以降|を経て|を境に)[^。]{0,24}$")),
        ("from", re.compile("半減期?(?:の?前|まで|以前)[^。]{0,24}$")),
        ("aside", re.compile("(?:求めた|求めていた|要求した|請求した)[^。、]{0,4}$")),
    ),
    "zh": (
        ("for", re.compile("赞成$")),
        ("against", re.compile("反对$")),
        ("abstained", re.compile("弃权$")),
        ("from", re.compile("(?:由|从|從)(?:约|近)?$")),
        (
            "to",
            re.compile(
                "(?:降低|下降|下调|降|减少|减半|缩减|减|減|提高|提升|升|增加|增|涨|上调|调整|调|砍|削|缩)"
                "(?:至|到|为|為)了?(?:约|近)?$"
            ),
        ),
        ("to", re.compile("减半(?:过|完成|发生|到来)?(?:之后|以后|后)[^。]{0,24}$")),
        ("from", re.compile("减半(?:发生|到来)?(?:之前|以前|前)[^。]{0,24}$")),
        ("aside", re.compile("(?:要求的|请求的|索要的|求偿的)[^。，]{0,4}$")),
    ),
}
_BEHIND: Mapping[Language, tuple[tuple[Role, re.Pattern[str]], ...]] = {
    "en": (
        (
            "for",
            re.compile(
                r"^ (?:(?:votes?|members?|meps|lawmakers|ayes) )?(?:in favou?r|for\b(?= and|,)|ayes)"
                r"|^ (?:(?:members?|meps|lawmakers|of them) )?(?:voted|were) (?:for|in favou?r|yes)\b"
            ),
        ),
        (
            "against",
            re.compile(
                r"^ (?:(?:votes?|members?|meps|lawmakers|of them) )?(?:were |voted )?"
                r"(?:against|opposed|noes|no(?= *(?:[.,;]|$)))"
            ),
        ),
        ("abstained", re.compile(r"^ (?:(?:members?|meps) )?(?:abstentions?|abstain(?:ed|ing))")),
        ("aside", re.compile(rf"^ (?:that|which) [^.;,]{{0,24}}{_ASKED}\b")),
    ),
    "ja": (
        (
            "total",
            re.compile("^(?:つ|件|個|本|社|の)?[^、。]{0,6}(?:のうち|中)、?(?:[一二三四五六七八九]|\\d)"),
        ),
        ("for", re.compile("^(?:票|人)?(?:が)?賛成")),
        ("against", re.compile("^(?:票|人)?(?:が)?反対")),
        ("abstained", re.compile("^(?:票|人)?(?:が)?棄権")),
        ("from", re.compile(r"^(?:から|より)[^。、]{0,12}\d")),
        (
            "to",
            re.compile(
                "^(?:に|へ|まで)(?:半減|減|削減|縮小|引き下げ|引下げ|引き上げ|下が|低下|下落|増|上昇|上が|変)"
            ),
        ),
    ),
    "zh": (
        ("total", re.compile("^(?:[项个家罪名控]){1,4}(?:之?中|里)的?(?:[一二两三四五六七八九]|\\d)")),
        ("for", re.compile("^(?:票|人)?(?:赞成|支持)")),
        ("against", re.compile("^(?:票|人)?反对")),
        ("abstained", re.compile("^(?:票|人)?弃权")),
    ),
}
_TO = re.compile(r"^[ a-z-]{0,24}\bto\b[^.;]{0,12}?\d")


def find_role(lowered: str, start: int, end: int, language: Language) -> Role | None:
    """Return the role of the figure from ``start`` to ``end`` of a plain text in lower case."""
    text_before, text_after = (
        lowered[max(0, start - _CHARS_BEFORE) : start],
        lowered[end : end + _CHARS_AFTER],
    )
    for role, pattern in _BEFORE[language]:
        if pattern.search(text_before) and (role != "from" or language != "en" or _TO.search(text_after)):
            return role
    return next((role for role, pattern in _BEHIND[language] if pattern.search(text_after)), None)


def find_fact_role(name: str) -> Role | None:
    """Return the role of a record's figure by its name (``reward_before_btc``)."""
    words = name.lower().split("_")
    return "from" if "before" in words else "to" if "after" in words else None
