"""Finds those to whom a report attributes what it tells: "according to Quillport Research", 据…报告."""

import re
from collections.abc import Iterator, Mapping

from backend.articles.engine import RuleSet
from backend.entities.model import Language
from backend.extraction.mentions import find_mentions
from backend.topics.feeds.anaphora import has_unclear_opening
from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.insights.model import Report

MAX_NAMES = 2
MAX_SENTENCES = 3
"""Sentences of a report that are searched, beside its title."""
_WORD = r"(?-i:[A-Z])[\w&’'-]*(?:\.[\w&’'-]+)*"
_NAME = rf"(?P<name>{_WORD}(?: {_WORD}){{0,3}})"
_WORK = r"(?:reports?|stud(?:y|ies)|surveys?|notes?|analys[ie]s|research|data|figures|estimates)"
_EXPERTS = r"(?:researchers?|analysts?|economists?|strategists?|investigators?)"
_ATTRIBUTIONS: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "en": (
        re.compile(
            r"\baccording to (?:(?:an?|the|new|recent) )*(?:(?-i:[a-z-]+) ){0,2}"
            rf"(?:{_WORK} )?(?:(?:from|by) )?(?:the )?{_NAME}",
            re.IGNORECASE,
        ),
        re.compile(rf"\b{_WORK} (?:from|by) (?:the )?{_NAME}", re.IGNORECASE),
        re.compile(
            rf"{_NAME} {_EXPERTS} (?:sa(?:id|ys?)|found|find|wrote|argued?|expect|see)\b", re.IGNORECASE
        ),
        re.compile(rf": {_NAME}$"),
    ),
    "ja": (
        re.compile(
            r"(?P<name>[A-Za-zァ-ヺー・0-9. ]{2,24}?)(?:の(?:調査|分析|報告書|レポート|データ|調べ))?"
            r"(?:によると|によれば)"
        ),
    ),
    "zh": (re.compile(r"据(?P<name>[^，。]{2,16}?)的?(?:数据|报告|分析|研究|监测|统计)"),),
}
_SPEAKERS: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "en": (
        re.compile(rf"[,”\"] (?:says?|said) {_NAME}", re.IGNORECASE),
        re.compile(rf"^{_NAME} (?:said|says|claims|confirmed|stated)\b"),
    ),
    "ja": (
        re.compile(
            r"^(?P<name>[^、。は]{2,20})は[^。]*(?:と(?:述べ|説明し|発表し|コメントし|回答し)|明らかにし)"
        ),
    ),
    "zh": (re.compile(r"^(?P<name>[^，。]{2,12}?)(?:表示|称|回应)"),),
}
"""Name a speaker, who tells the news only if the title names the same one; others comment on it."""
_NO_NAMES = frozenset({
    "Report", "Reports", "Source", "Sources", "He", "She", "It", "They", "Bloomberg", "Reuters", "Monday",
    "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
})  # fmt: skip


def find_originators(report: Report, rules: RuleSet) -> list[str]:
    """Name those to whom a report attributes its news. Outlets are credits, and the party that a title begins
    with speaks for itself."""
    found: dict[str, None] = {}
    leads = [one.text for one in list_sentences(report.text, report.language)[:MAX_SENTENCES]]
    for text in (report.title, *leads):
        for name in _list_names(text, report):
            entities = [rules.entities[mention.entity_id] for mention in find_mentions(rules, name)]
            is_outlet = any(entity.type == "media" for entity in entities)
            is_named = (
                report.language == "en"
                or entities
                or name in report.title
                or re.search(r"[A-Za-zァ-ヺー]{3}", name)
            )
            if name in _NO_NAMES or name == report.source or is_outlet or not is_named:
                continue
            is_known = any(name in other or other in name for other in found)
            if not is_known and not report.title.startswith(name):
                found[name] = None
    return list(found)[:MAX_NAMES]


def _list_names(text: str, report: Report) -> Iterator[str]:
    for pattern in _SPEAKERS[report.language] if not has_unclear_opening(text, report.language) else ():
        for match in pattern.finditer(text):
            if match["name"] in report.title:
                yield match["name"]
    for pattern in _ATTRIBUTIONS[report.language]:
        for match in pattern.finditer(text):
            yield match["name"].strip().removesuffix("’s").removesuffix("'s")
