"""Tells whether a noun that stands for a name (同機能, 该协议) can only mean what the reader has read.

The reader has read the noun in the title or the summary, and no sentence between names another thing by it.
"""

import re
from collections.abc import Mapping, Sequence

from backend.entities.model import Language
from backend.formats.chinese import to_simplified
from backend.topics.feeds.article_sentences import ArticleSentence, Context, find_context

_KNOWN: Mapping[Language, re.Pattern[str]] = {
    "ja": re.compile(
        r"^同(?![様時日年月じ社氏行国])(?P<noun>[A-Z]{2,}|[ァ-ヺー]{2,}|[一-鿿]{2,4})(?=[はがもでにのをへ、])"
    ),
    "zh": re.compile(
        r"^该(?P<noun>平台|交易所|协议|项目|基金会|银行|机构|网络|代币|基金|提案|法案|产品|功能|工具|合约|团队)"
    ),
}
_ANY_NAME: Mapping[Language, str] = {"ja": "ノースウィンド", "zh": "Northwind"}
_SEVERAL: Mapping[Language, str] = {
    "ja": r"(?:[2-9２-９二三四五両]|複数の|各|両)(?:つの|の)?",
    "zh": r"(?:[2-9两二三四五多各几][家个项只支]|多个|各)",
}


def names_known_noun(
    sentence: str, before: Sequence[ArticleSentence], printed: str, language: Language
) -> bool:
    """True if a sentence needs the text before it only for a noun of ``printed`` that means one thing.

    ``before`` are the sentences of the article in front of it.
    """
    if language == "en":
        return False
    known = _KNOWN[language].match(_normalize(sentence, language))
    if known is None or find_context(_ANY_NAME[language] + sentence[known.end() :], language) != Context.NONE:
        return False
    noun = re.escape(known["noun"])
    text = _normalize(printed, language)
    # Two names with the noun (奥林代币和红隼代币) are two things.
    owners = {match[1] for match in re.finditer(rf"(?<![同该])(..?){noun}", f" {text}")}
    if len(owners) != 1 or re.search(rf"{_SEVERAL[language]}[^、，。]{{0,6}}?{noun}", text):
        return False
    unread = (one.text for one in before if one.text not in printed)
    return not any(re.search(rf"(?<![同该]){noun}", _normalize(one, language)) for one in unread)


def _normalize(text: str, language: Language) -> str:
    return to_simplified(text) if language == "zh" else text
