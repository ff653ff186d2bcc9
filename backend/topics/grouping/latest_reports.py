"""Selects the reports that tell the latest state of an event: the vote that failed, the report retracted."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Protocol, TypeVar

from backend.entities.model import Language
from backend.formats.chinese import to_simplified
from backend.topics.feeds.anaphora import build_title_clause
from backend.topics.feeds.article_sentences import split_sentences
from backend.topics.grouping.title_tokens import words

MIN_GAP = timedelta(hours=12)
"""Time without a report after which a report tells of a further development."""
MIN_SHARE = 1 / 4
"""Share of the reports that the latest ones must have, so that a late detail does not become the news."""
MAIN_SHARE = 3 / 4
"""Share of the reports from which those behind a gap are the news itself, and the former ones a notice."""
_OUTCOME: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?<!will )(?<!would )(?<!may )(?<!could )(?<!to )\b(?:fail(?:s|ed)|pass(?:es|ed)|wins?|won"
        r"|loses?|lost|reject(?:s|ed)|approv(?:es|ed)|clear(?:s|ed)|confirm(?:s|ed)|correct(?:s|ed)"
        r"|den(?:y|ies|ied)"
        r"|dismiss(?:es|ed)|drop(?:s|ped)|settle(?:s|d)|acquit(?:s|ted)|convict(?:s|ed)|cancel(?:s|led|ed)"
        r"|delay(?:s|ed)|postpone(?:s|d)|resume(?:s|d)|recover(?:s|ed)|revis(?:es|ed)|rais(?:es|ed)|cuts?"
        r"|ris(?:es|en)|falls?|grows?)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(r"否決|可決|成立|承認|却下|否定|訂正|修正|確認|和解|有罪|無罪|中止|延期|再開|回収|判明"),
    "zh": re.compile(r"否决|通过|批准|驳回|否认|更正|修正|确认|和解|有罪|无罪|取消|推迟|恢复|追回|升至|降至"),
}
"""How an event ended, or what was wrong in its first reports."""
_SUBJECT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"(?:(?:The|An?) )?(?P<name>[A-Z0-9][\w-]*)"),
    "ja": re.compile(r"(?P<name>[^、。はがのを「」\s]{2,16})"),
    "zh": re.compile(r"(?P<name>[\u4e00-\u9fff]{2}|[A-Za-z][\w-]*)"),
}
_RETRACTION: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:correction|retraction)\b"
        r"|\b(?:reports?|story|stories|article|announcement|press release|tweet|post)\b[^,.;:]{0,50}"
        r"\b(?:(?:is|are|was|were|be|been|as|turns? out) (?:an? )?(?:retracted|withdrawn|fake|false|hoax"
        r"|untrue|fabricated)|retracted)\b"
        r"|\b(?:retract(?:s|ed|ing)?|withdr(?:aws?|ew|awn)|takes? back)\b[^,.;:]{0,40}"
        r"\b(?:reports?|story|stories|article|announcement|press release)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:記事|報道|発表|プレスリリース)[^。、「」]{0,12}(?:撤回|取り消|誤りだ|虚偽だ|偽物)|^訂正"
        r"|誤報(?:だ|と|を認)"
    ),
    "zh": re.compile(
        r"撤回[^，。]{0,12}(?:报道|报导|文章|消息)|撤稿|^更正"
        r"|(?:报道|报导|文章|消息|新闻稿)[^，。]{0,8}(?:不实|虚假|撤回|系伪造|是假)"
    ),
}


class Dated(Protocol):
    """A report with a title, a text and a time."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def language(self) -> Language: ...
    @property
    def published_at(self) -> datetime: ...


Item = TypeVar("Item", bound=Dated)


def select_latest(reports: Sequence[Item]) -> list[Item]:
    """Return the leading reports (:func:`select_leading`) and all after them, in order of time.

    Only the retractions if there are any: what they retract is no fact.
    """
    leading = select_leading(reports)
    if not leading or find_retractions(leading):
        return leading
    in_order = sorted(reports, key=lambda report: report.published_at)
    return [report for report in in_order if report.published_at >= leading[0].published_at]


def select_leading(reports: Sequence[Item]) -> list[Item]:
    """Return the reports that give a topic its title and its summary, in order of time.

    These are the retractions if there are any. Else they are the reports before the first gap of
    :data:`MIN_GAP`. Those behind a gap replace them if they are a quarter of all, their titles are sentences
    and one of them tells how the same event went on. Behind most of the reports, a gap divides nothing.
    """
    in_order = sorted(reports, key=lambda report: report.published_at)
    if retractions := find_retractions(in_order):
        return retractions
    groups: list[list[Item]] = []
    for report in in_order:
        if groups and report.published_at - groups[-1][-1].published_at < MIN_GAP:
            groups[-1].append(report)
        else:
            groups.append([report])
    leading = groups[0] if groups else []
    for group in groups[1:]:
        news = [report for report in group if build_title_clause(report.title, report.language)]
        if len(group) >= MAIN_SHARE * len(in_order):
            leading = [*leading, *group]
        elif len(news) >= MIN_SHARE * len(in_order) and any(
            _is_update(report, former) for report in news for former in leading
        ):
            leading = group
    return leading


def find_retractions(reports: Sequence[Item]) -> list[Item]:
    """Find the reports whose title or first sentence says that another one was retracted or false."""
    if len(reports) < 2:
        return []
    return [
        report
        for report in reports
        if any(
            _RETRACTION[report.language].search(_normalize(text, report.language))
            for text in (report.title, *islice(split_sentences(report.text), 1))
        )
    ]


def _is_update(later: Dated, former: Dated) -> bool:
    """True if both titles have one subject and share a further word, and the later one tells an outcome."""
    if later.language != former.language:
        return False
    language = later.language
    subjects = [_SUBJECT[language].match(_normalize(one.title, language)) for one in (later, former)]
    names = {subject["name"] for subject in subjects if subject is not None}
    if len(names) != 1 or None in subjects:
        return False
    own = frozenset(words(next(iter(names))))
    shared = frozenset(words(later.title)) & frozenset(words(former.title)) - own
    return bool(shared) and _OUTCOME[language].search(_normalize(later.title, language)) is not None


def _normalize(text: str, language: Language) -> str:
    return to_simplified(text) if language == "zh" else text
