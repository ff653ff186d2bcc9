"""Tells whether a later report gives another day for what an earlier one planned, or says that it moved."""

import re
from collections.abc import Collection, Mapping, Set

from backend.entities.model import Language
from backend.formats.chinese import to_simplified

_MOVED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:postpon\w+|pushed back|push(?:es)? back|moved|delay(?:s|ed)|reschedul\w+|adjourn\w*|cancel\w+"
        r"|called off|scrapped|suspended|withdr[ae]wn?|brought forward)\b",
        re.IGNORECASE | re.ASCII,
    ),
    "ja": re.compile(r"延期|変更|先送り|前倒|中止|取りやめ|見送|撤回"),
    "zh": re.compile(r"延期|推迟|延后|改期|提前|取消|中止|撤回|押后"),
}
_WORD = re.compile(r"[A-Za-z][\w’'-]+")
_NAME: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b[A-Z][\w’'-]+"),
    "ja": re.compile(r"[ァ-ヶー]{3,}|[A-Za-z]{2,}"),
    "zh": re.compile(r"[A-Za-z]{2,}"),
}
_NO_NAME = re.compile(
    r"(?:the|an?|on|in|by|at|it|its|this|that|these|those|for|and|but|if|as|after|before|of|to|will|is|are|has|be|with"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|january|february"
    r"|march|april|june|july|august|september|october|november|december|utc|set|due|scheduled|from|was|were)",
    re.IGNORECASE,
)
"""Capitalised words of English sentences that name nothing."""
_HAN = re.compile(r"[一-龥]{2,}")
_DATE_SIGNS = re.compile(r"[\d〇零一二三四五六七八九十年月日号至将于計计划予定]")


def says_moved(sentence: str, language: Language) -> bool:
    """True if the sentence says that something was postponed, brought forward or called off."""
    compared = to_simplified(sentence) if language == "zh" else sentence
    return _MOVED[language].search(compared) is not None


def share_subject(
    text: str, other: str, language: Language, label_patterns: Collection[re.Pattern[str]]
) -> bool:
    """True if two sentences may speak of one thing: by their names, or by their words if one has no name."""
    both = [to_simplified(one) if language == "zh" else one for one in (text, other)]
    for pattern in label_patterns:
        both = [pattern.sub(" ", one) for one in both]
    names = [_list_names(one, language) for one in both]
    words = names if all(names) else [_list_words(one, language) for one in both]
    fewer = min(len(one) for one in words)
    return fewer == 0 or 2 * len(words[0] & words[1]) >= fewer


def _list_names(text: str, language: Language) -> Set[str]:
    found = (name.removesuffix("’s").removesuffix("'s") for name in _NAME[language].findall(text))
    return {name.casefold() for name in found if not _NO_NAME.fullmatch(name)}


def _list_words(text: str, language: Language) -> Set[str]:
    if language == "en":
        return {word.casefold() for word in _WORD.findall(text) if not _NO_NAME.fullmatch(word)}
    plain = _DATE_SIGNS.sub(" ", text)
    return {run[place : place + 2] for run in _HAN.findall(plain) for place in range(len(run) - 1)}
