"""Finds whose reporting a report relays: "reported by The Block", ＝WSJ, 据路透社报道."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.extraction.mentions import find_mentions
from backend.formats.chinese import to_simplified
from backend.sources.claims.claim_splitting import sentences
from backend.topics.feeds.article_sentences import is_boilerplate
from backend.topics.insights.model import Report

MAX_SENTENCES = 10
"""Sentences of a report that are searched for credits."""
_AROUND_CHARS = 40
_NAME = r"(?P<name>(?:The )?(?-i:[A-Z])[\w&.’'-]*(?: (?-i:[A-Z])[\w&.’'-]*){0,3})"
_UNLISTED = re.compile(
    r"\b(?:reported by|reporting from|interview with"
    r"|according to (?:an? )?(?:\w+ )?(?:reports?|story) (?:from|by|in)"
    r"|told(?! (?-i:Judge|President|Senator|Congress|Rep|Sen)\b)(?= (?-i:[A-Z])[\w-]+ (?-i:[A-Z]))"
    rf"|citing (?:a )?reports? (?:from|by)) {_NAME}",
    re.IGNORECASE,
)
_NO_OUTLET = (
    "媒体|外媒|报|此前|之前|早前|先前|当地|本地|相关|有关|多家|多方|最新|公开|国外|海外|国内"
    "|官方|网络|悉|称|此|其|该|知情|消息|英国|美国"
)
_NO_OUTLET_END = "媒|媒体|公司|市场|机构|平台|项目|团队|部门|今日|日前|近日|记者|一份|周[一二三四五六日]"
_UNLISTED_HAN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?!)"),
    "ja": re.compile(
        r"(?P<name>[A-Z][A-Za-z]{2,}|[ァ-ヺー]{4,}(?<!メディア)(?<!サイト)(?<!リスト)"
        r"|(?!現地|地元|国内|海外|複数|大手)[一-鿿]{2,6}新聞)(?:紙)?が"
        r"(?:(?:\d{1,2}日|先週|今週|同日|独自|このほど|新た)に?)?、?報じ(?!られ)"
    ),
    "zh": re.compile(
        rf"(?<![根证数依])据\s*[《“]?(?!{_NO_OUTLET})(?!(?:{_NO_OUTLET_END})\s*报|[一-鿿·]{{1,6}}(?:{_NO_OUTLET_END})\s*报)"
        r"(?P<name>[A-Z][\w.&]*(?: [A-Z][\w.&]*){0,3}|[一-鿿·]{2,6}?)[》”]?\s*(?:报道|报导)"
    ),
}
"""Outlets that the catalogue does not know."""
_SIGNATURE = re.compile(
    r"[。！][（(](?P<name>[A-Z][A-Za-z.&]+(?: [A-Z][A-Za-z.&]+){0,2}|[一-鿿·]{2,8})[）)]\s*$"
)
"""The outlet in brackets at the end of a Chinese item."""
_BEFORE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:citing|cited|reported by|according to|told|as first reported by"
        r"|reporting from|(?:reports?|story) (?:from|by|in)|interview with|via)(?: the)?\s*$|: $",
        re.IGNORECASE,
    ),
    "ja": re.compile(r"[＝=]$"),
    "zh": re.compile(r"(?:据|援引|引述|引用|来自)[《“]?\s*$"),
}
_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:’s|'s)? (?:first |has |had |also )?(?:reported|reports|report\b)|:", re.IGNORECASE),
    "ja": re.compile(r"(?:紙|通信)?(?:が|は|によると|によれば|の報道|の取材に|報道)"),
    "zh": re.compile(r"[》”]?\s*(?:报道|消息|援引|称|[:：])"),
}
_TOLD: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(""),
    "ja": re.compile(r"報じ|報道|伝え|取材|[＝=]|によ[るれ]"),
    "zh": re.compile(""),
}
"""What the whole sentence must contain."""
_RELAYED: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r": reports?$|\breportedly\b|\breports? (?:say|said)\b", re.IGNORECASE),
    "ja": re.compile(r"[＝=－-]報道$|と報じられ|との報道"),
    "zh": re.compile(r"据报道|据媒体|据外媒|有消息称"),
}


@dataclass(frozen=True, slots=True)
class Credits:
    """The outlets whose reporting a report relays. ``is_relayed`` is True if it relays any."""

    names: tuple[str, ...] = ()
    is_relayed: bool = False


def find_credits(report: Report, rules: RuleSet, language: Language) -> Credits:
    """Find the credits in the title and the first sentences of a report, with names in ``language``."""
    found: dict[str, None] = {}
    is_relayed = False
    listed = [report.title, *islice(sentences(report.text), MAX_SENTENCES)]
    for place, sentence in enumerate(listed):
        if place > 0 and is_boilerplate(sentence, report.language):
            continue
        text = to_simplified(sentence) if report.language == "zh" else sentence
        if place <= 1 and _RELAYED[report.language].search(text):
            is_relayed = True
        spans = []
        for mention in find_mentions(rules, text):
            entity = rules.entities[mention.entity_id]
            if entity.type == "media" or report.language != "en":  # 据…报道 also stands behind other names
                spans.append((mention.start, mention.end))
            if entity.type != "media" or mention.entity_id == report.owner:
                continue
            if _is_credit(text, mention.start, mention.end, report.language):
                found[entity.name(language)] = None
        unlisted = _UNLISTED if report.language == "en" else _UNLISTED_HAN[report.language]
        for match in unlisted.finditer(text):
            if not any(start < match.end("name") and match.start("name") < end for start, end in spans):
                found[match["name"].removesuffix(".").removesuffix("’s")] = None
    if report.language == "zh" and (signature := _SIGNATURE.search(report.text)) is not None:
        entities = [rules.entities[one.entity_id] for one in find_mentions(rules, signature["name"])]
        found.update({entity.name(language): None for entity in entities if entity.type == "media"})
        if not entities and signature["name"].isascii():
            found[signature["name"]] = None
    names = tuple(name for name in found if not _is_part(name, f"The {report.source}"))
    return Credits(names, is_relayed or bool(names))


def _is_part(name: str, outlet: str) -> bool:
    """True if ``outlet`` has a name in its own: 北风链闻 does not credit 链闻."""
    return re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", outlet) is not None


def _is_credit(text: str, start: int, end: int, language: Language) -> bool:
    before = text[max(0, start - _AROUND_CHARS) : start]
    is_named = _BEFORE[language].search(before) or _BEHIND[language].match(text, end)
    return bool(is_named) and _TOLD[language].search(text) is not None
