"""Judges former names by the date of the article and of the sentence that they stand in.

Before the change the name was right and nothing is reported. Around the change, and in articles without a
date, the finding is informational. Later it is a warning. A sentence in the past tense with an earlier year
("In 2020 MicroStrategy bought") speaks of the time before, whatever the date of the article is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache

from backend.articles.matching.former_names import Occurrence, is_former
from backend.articles.matching.meanings import CompiledRule, Meaning
from backend.articles.text.folding import fold, plain
from backend.entities.model import Entity, Language

TRANSITION = timedelta(days=180)
"""How long after a change the former name is still in use."""
SENTENCE_REACH = 160
"""Characters on either side of a name that its sentence is looked for in."""

_JOINTS = re.compile(r"[\s\-\u2010\u2011・]+")
_SENTENCE_END = re.compile(r"[。！？!?;；\n]|(?<![A-Z])\.(?=\s)")
_YEAR = re.compile(r"(?<![\d.,$€£¥-])((?:19|20)\d\d)(?![\d,.]\d|\d|%)(?: ?年(?:の? ?(1[0-2]|0?[1-9]) ?月)?)?")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_MONTH_BEFORE = re.compile(rf"\b({'|'.join(_MONTHS)})(?: \d{{1,2}},)? \Z")
_LASTING = re.compile(
    r"\b(?:since|founded(?: in)?|established(?: in)?|launched in|born in|created in|from|by|until|before|"
    r"after|©|copyright)(?: \w+){0,2} \Z|(?:自|从|從|截至)\Z",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"(?:\b(?:[Ii]n|[Dd]uring|[Tt]hroughout|[Oo]f|[Ee]arly|[Ll]ate|mid)[ -](?:\w+ ){{0,2}}|"
    rf"\b(?:{'|'.join(_MONTHS)}) (?:\d{{1,2}}, )?)\Z"
)
"""What makes a number a year, where 年 does not."""
_LASTING_AFTER = re.compile(r" ?(?:年)?(?:创立|成立|創立|創業|設立|创办|以来|以來|から)")
_PAST = re.compile(
    r"\b(?:was|were|had|did|[a-z]{2,}ed|bought|sold|paid|made|went|got|took|held|rose|fell|hit|cut|won|lost|"
    r"began|became|built|put|set|led|ran|said|told|saw|spent|raised|left|met|kept|grew|drew|broke|chose|"
    r"sent|gave|came|knew|thought|brought|caught|taught|fought|wrote|spoke|stood)\b"
)
_JAPANESE_PAST = re.compile(r"(?:した|だった|であった|った|れた|いた|えた|きた|けた|せた|んだ|いだ|ました)")
_FUTURE = re.compile(r"\b(?:will|plans? to|expects?|is to|are to|going to)\b|予定|見通し|将于|將於|计划|計劃")


def judge_former_names(
    text: str,
    occurrences: list[Occurrence],
    entities: Mapping[str, Entity],
    find_date: Callable[[], date | None],
) -> None:
    """Settle the former names in ``occurrences`` by date. ``find_date`` is only called if there are any."""
    for index, (start, end, meaning, right) in enumerate(occurrences):
        if meaning.rule is None or not is_former(meaning):
            continue
        change = _find_change(meaning, text[start:end], entities)
        if change is None:
            continue
        published = find_date()
        if (published is not None and published < change) or describes_earlier_time(text, start, end, change):
            occurrences[index] = (start, end, *_resolve_before_change(meaning, text[start:end], entities))
        elif published is not None and published > change + TRANSITION:
            occurrences[index] = (start, end, meaning._replace(rule=_as_warning(meaning.rule)), right)
        elif meaning.rule.severity != "info":
            occurrences[index] = (start, end, meaning._replace(rule=_as_question(meaning.rule)), right)


def _resolve_before_change(
    meaning: Meaning, written: str, entities: Mapping[str, Entity]
) -> tuple[Meaning, str | None]:
    """What a name means before its change: right, unless its case or spaces are wrong (Microstrategy)."""
    entity, rule = entities.get(meaning.entity or ""), meaning.rule
    if entity is None or rule is None or written.isupper():
        return meaning._replace(rule=None), None
    surface = _without_joints(written)
    same_names = [former.name for former in entity.former if _without_joints(former.name) == surface]
    if not same_names or plain(written) in same_names:
        return meaning._replace(rule=None), None
    spelled = replace(
        rule,
        type="forbidden_variant",
        severity="warning",
        auto_fix=False,
        reasons=_explain_spelling(same_names[0]),
    )
    return meaning._replace(rule=spelled), same_names[0]


def _without_joints(name: str) -> str:
    return _JOINTS.sub("", fold(name).text)


@lru_cache(maxsize=4096)
def _explain_spelling(name: str) -> Mapping[Language, str]:
    """Say how a former name was spelled: one object for each, so that equal findings have equal rules."""
    return {
        "en": f"At that time the name was spelled {name}.",
        "ja": f"当時の名称の表記は「{name}」です。",
        "zh": f"当时的名称写作“{name}”。",
    }


def describes_earlier_time(text: str, start: int, end: int, change: date) -> bool:
    """Whether the sentence of ``text[start:end]`` tells, in the past tense, of a year before ``change``."""
    first, last = _find_sentence(text, start, end)
    sentence = text[first:last]
    if _FUTURE.search(sentence):
        return False
    return any(_is_before(sentence, year, change) for year in _YEAR.finditer(sentence)) and _is_past(sentence)


def parse_change(until: str) -> date:
    """Return the first day of a year, month or day."""
    parts = [int(part) for part in until.split("-")]
    return date(*[*parts, 1, 1][:3])


def _find_change(meaning: Meaning, written: str, entities: Mapping[str, Entity]) -> date | None:
    """Find when a former name was replaced: by its rule, else by the facts of its entity."""
    rule = meaning.rule
    if rule is not None and rule.rule.until is not None:
        return parse_change(rule.rule.until)
    entity = entities.get(meaning.entity or "")
    return None if entity is None else _find_change_of(entity, written)


def _find_change_of(entity: Entity, written: str) -> date | None:
    surface = fold(written).text
    dated = [(fold(former.name).text, former.until) for former in entity.former if former.until]
    own_dates = [until for name, until in dated if name == surface] or [until for _, until in dated]
    return max(map(parse_change, own_dates), default=None)


def _find_sentence(text: str, start: int, end: int) -> tuple[int, int]:
    first = max(0, start - SENTENCE_REACH)
    for match in _SENTENCE_END.finditer(text, first, start):
        first = match.end()
    stop = _SENTENCE_END.search(text, end, min(len(text), end + SENTENCE_REACH))
    return first, stop.end() if stop else min(len(text), end + SENTENCE_REACH)


def _is_before(sentence: str, match: re.Match[str], change: date) -> bool:
    before = sentence[max(0, match.start() - 32) : match.start()]
    if _LASTING.search(before) or _LASTING_AFTER.match(sentence, match.end(1)):
        return False
    if sentence[match.end(1) : match.end(1) + 2].strip()[:1] != "年" and not _DATED.search(before):
        return False
    year, month = int(match[1]), int(match[2]) if match[2] else None
    if month is None and (month_match := _MONTH_BEFORE.search(before)) is not None:
        month = _MONTHS.index(month_match[1]) + 1
    if month is None:
        return year < change.year
    return (year, month) < (change.year, change.month)


def _is_past(sentence: str) -> bool:
    """Whether a sentence has a verb in the past tense. Chinese has none, so that its year is enough."""
    if _JAPANESE_PAST.search(sentence) or _PAST.search(sentence):
        return True
    return any("\u4e00" <= character <= "\u9fff" for character in sentence) and not any(
        "\u3041" <= character <= "\u3096" for character in sentence
    )


@lru_cache(maxsize=16_384)
def _as_warning(rule: CompiledRule) -> CompiledRule:
    return replace(rule, severity="warning")


@lru_cache(maxsize=16_384)
def _as_question(rule: CompiledRule) -> CompiledRule:
    return replace(rule, severity="info", auto_fix=False)
