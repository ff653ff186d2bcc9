"""Finds sentences that are true but tell no news, so that a summary takes better ones where there are any."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.formats.chinese import to_simplified
from backend.topics.grouping.title_tokens import words

_TEASER: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:real|bigger|biggest|whole|full|untold|other) (?:story|question|drama|twist)\b"
        r"|\b(?:story|drama|saga|tale|plot) (?:of|that|behind|play(?:s|ed)|unfold(?:s|ed)|goes|begins?)\b"
        r"|\b(?:mixed|telling|damning|surprising|clear) (?:verdict|picture|answer|message)\b"
        r"|\b(?:tells|told) a (?:\w+ )?(?:story|tale)\b|\bthat is where\b|\b(?:may|might) surprise\b"
        r"|\bstage (?:is|was) set\b|\bturn(?:s|ed) heads\b|\ball eyes (?:are|were) on\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:本当の|真の)(?:物語|主役|焦点)|物語(?:は|が)|ドラマ(?:は|が)|注目が集ま|目が離せない"
    ),
    "zh": re.compile(r"真正的(?:故事|看点|主角)|故事(?:才|从|要)|大戏|好戏|拭目以待|引人深思|令人玩味"),
}
"""Words on the telling of news instead of the news."""
MAX_HOOK_CHARS = 70
MAX_NEW_SHARE = 0.25
"""Share of its words that a sentence adds to a title which it only repeats."""
_ATTRIBUTION = re.compile(r"(?:[\w ]{2,16}(?:消息|讯|报道)，)?(?:\d+ ?月 ?\d+ ?日，?)?(?:据[^，。]{2,20}，)?")
"""The source and the day in front of a Chinese news flash."""
_NAME = r"[A-Z][\w&.’'-]*(?: [A-Z][\w&.’'-]*){0,4}"
_SPEAKER: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        rf"[,”\"] (?:said|says|argued|argues|noted|wrote|according to) (?P<behind>{_NAME})"
        rf"|[,”\"] (?P<middle>{_NAME}) (?:said|says|argued|argues|noted|wrote|told)\b"
        rf"|^(?P<first>{_NAME})(?:, [^,]{{3,80}},)? (?:said|says|argued|argues|noted|wrote|believes|thinks)\b"
    ),
    "ja": re.compile(
        r"^(?P<first>[^、。は「]{2,24})は(?:、)?「[^」]+」と(?P<behind>(?:述べ|語っ|指摘し|話し|コメントし))"
    ),
    "zh": re.compile(r"^(?P<first>[^，。“]{2,16})(?P<behind>表示|认为|称|指出)[，：]?“"),
}
_QUOTE = re.compile(r"[“「\"]")
_NEWS_FIGURE = re.compile(r"[$€£¥]?\d[\d,.]*")
_FIRST_CAPITALISED_WORD = re.compile(r"(?P<word>[A-Z][\w-]*)(?: [A-Z(][\w.)-]*)*(?:,| [a-z]+\b)")
"""The first word of a sentence, and behind its name a comma or a word in lower case, mostly a verb."""
_NAME_IN_HAN_SUBJECT = re.compile(
    "(?=.{0,12}[\u3041-\u30fa\u4e00-\u9fff])[\u4e00-\u9fff・の]{0,10}(?P<word>[A-Za-z][A-Za-z0-9.]{2,}|[\u30a1-\u30fc・]{3,})"
)
"""The first name in Latin letters or katakana near the beginning of a Japanese or Chinese sentence."""
_FUNCTION_WORD = re.compile(
    r"(?i)\b(?:an?|about|after|against|all|amid|among|and|around|as|at|before|behind|between|but|by|despite|during"
    r"|for|from|how|if|in|inside|into|its|like|near|not?|of|off|on|once|or|our|out|over|per|since|some|than|that|the"
    r"|their|these|this|those|through|to|under|until|up|via|what|when|where|while|who|why|with|without)\b"
)


def is_teaser(sentence: str, language: Language) -> bool:
    """True if a sentence announces what it does not tell."""
    return _TEASER[language].search(_normalize(sentence, language)) is not None


def is_outside_opinion(sentence: str, title: str, language: Language) -> bool:
    """True if a sentence without a figure quotes somebody whom the title does not name."""
    match = _SPEAKER[language].search(_normalize(sentence, language))
    if match is None or not _QUOTE.search(sentence) or _NEWS_FIGURE.search(sentence):
        return False
    groups = match.groupdict()
    speaker, compared = (
        groups["first"] or groups.get("middle") or groups["behind"],
        _normalize(title, language),
    )
    if language == "en":
        return not any(
            re.search(rf"\b{re.escape(word)}\b", compared) for word in speaker.split() if len(word) > 1
        )
    return not any(speaker[at : at + 2] in compared for at in range(len(speaker) - 1))


def has_titled_subject(sentence: str, title: str, text: str) -> bool:
    """True if a sentence of ``text`` begins with a name of its title.

    In English it is a word of the title that is no function word and that the text never writes in lower
    case, in Japanese and Chinese a word of Latin letters or katakana.
    """
    name = _NAME_IN_HAN_SUBJECT.match(sentence)
    if name is not None:
        return name["word"] in title
    subject = _FIRST_CAPITALISED_WORD.match(sentence)
    if subject is None or _FUNCTION_WORD.search(subject.group()):
        return False
    is_common = re.search(rf"\b{subject['word'].lower()}\b", text)
    return is_common is None and subject["word"] in re.findall(r"[A-Z][\w-]*", title)


def _normalize(text: str, language: Language) -> str:
    return to_simplified(text) if language == "zh" else text


def is_empty_lead(sentence: str, title: str, language: Language) -> bool:
    """True if the first sentence of an article tells nothing behind its title: a short English hook (*The
    chief executive wants a deadline.*), or a Japanese or Chinese one that repeats the title."""
    if language == "en":
        return len(sentence) < MAX_HOOK_CHARS and not _NEWS_FIGURE.search(sentence)
    own = set(words(_ATTRIBUTION.sub("", sentence, count=1)))
    return len(own - set(words(title))) <= MAX_NEW_SHARE * len(own)
