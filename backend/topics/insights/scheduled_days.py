"""Tells whether a sentence says that something is ahead on a day that it names, or was on it.

A day without a year has the year that is nearest to its report. So *was hacked on December 1* in a report of
July would name a day ahead: the verb nearest to the day decides. In Japanese the verb follows the day. In
Chinese a word of a plan (将, 定于, 延至) or of the past (已, 了, 截至) stands in its clause.
"""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.formats.chinese import to_simplified

_WORDS = r"(?: (?!by\b|on\b)[^\s,.;:()]+)"
_TIME_BEHIND = r"(?=\s*$| (?:\d|next\b|later\b|(?:the )?(?:end|start|middle)\b|early\b|late\b|mid\b))"
"""*Moved to October 6* is a plan; *moved to close the bank on Monday* is an act of the past. The text that
is compared ends before the day."""
_PLANS = (
    r"(?:will|would|shall|must|should|can|could|might|(?-i:may))(?: be [a-z]+)?|needs? to|expects?"
    r"|(?<!its )(?<!the )(?<!new )(?<!of )plans to|aims?|targets?|targeting|intends? to"
    r"|expected(?= (?:to|on|by|in|for|at)\b|\s*$)|planned (?:for|on|by)"
    r"|(?:set|scheduled|slated|due|on track|poised)(?= (?:to|for|on|by)\b|\s*$)"
    r"|(?:extend|postpone|delay|deferr?|adjourn|reschedule?|move?|push)(?:e?d|e?s|ing)?"
    rf"{_WORDS}{{0,6}}? (?:until|till|(?:to|into|for){_TIME_BEHIND})"
    rf"|(?:schedule?|set)(?:e?d|e?s|ing)?(?! (?:out|off|up)\b){_WORDS}{{0,6}}? (?:to|until|till|for)"
    rf"|schedul(?:ed|es?){_WORDS}{{1,6}} on"
    rf"|g[ai]v(?:e|es|en|ing){_WORDS}{{1,5}} until|ha(?:s|ve) until|deadline"
    r"|(?:is|are) to|(?:is|are) [a-z]+ed(?= (?:by|before|until|no later than)\b)"
    r"|next meets?|expires|takes? effect|comes? into (?:force|effect)"
    r"|begins|meets|unlocks|resumes|returns|reconvenes|convenes"
)
_AHEAD_ON_WEEKDAY = re.compile(rf"\b(?:{_PLANS})(?!\w)", re.IGNORECASE | re.ASCII)
_AHEAD = re.compile(
    rf"\b(?:{_PLANS}|goes live|kicks off|starts|opens|closes|ends|votes|launches|matures|arrives|settles"
    r"|activates|hears|holds|becomes|delists|faces|appears|runs(?= (?:from|until|through|between)\b))(?!\w)",
    re.IGNORECASE | re.ASCII,
)
"""Words of the future and of timetables (*the Senate returns on July 13*). With a weekday, reports also use
the present for what was (*bitcoin closes higher on Monday*)."""
_INFINITIVE = re.compile(
    r"\bto (?!(?:\w+ed|an?|the|its?|their|his|her|about|more|over|as|that|which)\b)[a-z]{2,}\b"
)
"""It is ahead in a clause without a verb of the past: *agreed to vote on Tuesday* tells when they agreed."""
_PAST = re.compile(
    r"\b(?:said|told|wrote|sued|held|took|began|met|was|were|had|has|have|did|came|went|fell|rose|hit|made|got"
    r"|gave|saw|sent|sold|bought|paid|lost|won|led|left|became|ran|grew|found|stole|stolen|since|after"
    r"|set (?:out|off|up)|following|amid"
    r"|(?!(?:need|embed|based|unlisted|so-called|united|limited|proposed)\b)[a-z]{2,}ed)\b",
    re.IGNORECASE | re.ASCII,
)
_ATTRIBUTE = re.compile(r" (?:to )?(?!be\b)[a-z]+(?: (?:an?|the|its|their))? ", re.IGNORECASE | re.ASCII)
"""Between a word of a plan and a participle that is no verb (*are set to receive expedited approval*)."""
_PARTICIPLE = re.compile(r"(?:[a-z]+ed|stolen|frozen|lost) (?!by\b|on\b|in\b|to\b|at\b|for\b)[a-z]", re.ASCII)
_GIVEN_UP: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:was|were|had been) (?:(?:all )?(?:set|scheduled) to|(?:originally |initially |previously )?"
        r"(?:due|slated|expected|supposed|planned|meant|poised))\b"
        r"|\b(?:originally|initially|previously) (?:set|scheduled|slated|due|expected|planned)\b"
        r"|\bcancel\w+|\bcalled off\b|\bno longer\b|\bscrapped\b",
        re.IGNORECASE | re.ASCII,
    ),
    "ja": re.compile(r"予定だった|予定していた|予定であった|はずだった|中止|取りやめ|見送|撤回"),
    "zh": re.compile(r"原定|原计划|取消|不再|撤回"),
}
_MOVED_TO_DAY = re.compile(
    r"\b(?:(?:extend|postpone|delay|deferr?|adjourn|reschedule?)(?:e?d|e?s|ing)?"
    r"|(?:was|were|been|be|being|is|are) (?:moved|pushed)"
    r"|(?:move?|push)(?:e?d|e?s|ing)? (?:(?:back|forward) )?(?:its|their|his|her|the|an?)\b)"
    r"(?: [^\s,.;:()]+){0,9}? (?:to|into|until)(?: the)?\s*$",
    re.IGNORECASE | re.ASCII,
)
"""The day that takes the place of a former one (*was set for June but has been pushed to October*)."""
_MOVED_BEFORE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\bfrom (?:the )?$", re.IGNORECASE | re.ASCII),
    "ja": re.compile(""),
    "zh": re.compile(r"(?:从|由)\s*$"),
}
_MOVED_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r",?(?: \d{4},?)? (?:to|until|through)\b"),
    "ja": re.compile(r"から[^。]{0,16}(?:に|へ|まで)(?:延期|変更|延長|前倒し|繰り下げ)"),
    "zh": re.compile(r"(?:推迟|延期|延后|改|提前)"),
}
"""A day that is moved *from* July 3 to another."""
_DEADLINE = re.compile(
    r"\b(?:by|until|till|before|through|no later than)(?: the)?\s*$", re.IGNORECASE | re.ASCII
)
_FORMER = re.compile(r"\b(?:since|as of|dated|after|following)(?: the)?\s*$", re.IGNORECASE | re.ASCII)
_EFFECTIVE = re.compile(
    r"\b(?:effective|starting|beginning)(?: on| from| as of)?\s*$", re.IGNORECASE | re.ASCII
)
_COPULA = re.compile(r"\b(?:date|deadline|day|end) (?:is|are|falls)(?: on)?\s*$", re.IGNORECASE | re.ASCII)
_BEGINNING = re.compile(r"\s*(?:on|by|until|next)?\s*", re.IGNORECASE | re.ASCII)
_CLAUSE = re.compile(r"[;:—–]| - |,(?! (?:19|20)\d\d)|\b(?:but|which|who|while|whose|when|where)\b", re.ASCII)
_JA_AHEAD = re.compile(
    r"予定|延期|延長|猶予|先送り|締め?切|期限|見込|計画|方針|目指|に向け|ならない"
    r"|[すれけうぶむつえいまじせげなわ]る(?=。|と|予定|こと|見|方針|計画|必要|よう|ため|[」』]|$)"
    r"|(?:開|行|続|届)[くう](?=。|と|予定|こと|見|方針|計画|[」』]|$)|迎え(?:る|$)|控え(?:る|て)|へ(?=。|$)"
    r"|(?:開始|施行|発効|実施|開催|上場|採決|投票|適用|公開|終了|廃止|停止|再開|解除|判決)(?:$|。|へ|を(?:予定|計画|目指))"
)
_JA_PAST = re.compile(r"(?:[しれっいんきけえめて]た|だ?った|んだ|でした|ました)(?!い|ら|く|め|り|場合|だ)")
_JA_AS_OF = re.compile(r"(?:時点|付|現在|以来|の(?:発表|声明|提出|決定)(?:で|に))")
_ZH_AHEAD = re.compile(
    r"将(?!军|近)|拟(?!人|态)|计划(?!书)|预计|目标|争取|力争|定于|定在|预定|即将|(?:延(?:期|长|后)?|推迟|改|改期)至|截止(?!到)|到期|届满"
    r"|最迟|[日月]起(?!诉)|起(?:实施|执行|计|生效|施行|适用)|之?前(?:完成|提交|开始|作出|须|必须)|须|必须"
)
_ZH_PAST = re.compile(r"已|曾|了(?!解)|截至|以来|昨|此前|当时|原定|原计划|取消|获悉|宣布|发布|表示|披露")
_ZH_NEW_DAY = re.compile(r"(?:延(?:期|后)?|推迟|改|改期)至\s*$")
_ZH_ATTRIBUTE = re.compile(r"[^，。；的]{1,8}的")
_ZH_PLAN_OF_DAY = re.compile(r"(?:将|拟|定|预计|计划|至|自|安排)(?:于|在)?\s*$")
"""*公布12月1日完成的报告* tells when the report was completed, *将于12月1日召开的会议* what is ahead."""
_ZH_CLAUSE = re.compile(r"[，。；！？;!?]|,(?!\d)")
_CLAUSE_MARK: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?<!day)(?:,(?= )(?! (?:19|20)\d\d)|[;:—–](?= )| - )"
        r"|\b(?:and|but|while|after(?!,? (?:\d|the end))|before(?! (?:\d|the end))|when|if"
        r"|which|who|whose|where)\b",
        re.IGNORECASE | re.ASCII,
    ),
    "ja": re.compile(r"[、。；;]"),
    "zh": re.compile(r"[，。；：！？;:!?]|,(?!\d)"),
}
"""Also of normalised sentences, whose marks are narrow."""
_JOINS_DAY = re.compile(r"(?:before|after|and)$", re.IGNORECASE | re.ASCII)
_MAX_CLAUSE = 240
"""Characters on either side of a day that are searched for the bounds of its clause."""
_NOTHING_ELSE = re.compile(
    r"\W*(?:(?:on|by|in|until|from|starting)?(?: ?[a-z]+day,?)?|に|から|まで|[于自至起前])?\W*", re.IGNORECASE
)
_NEGATION: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:not(?! later)|never|nor|neither|cannot|without|unlikely|fail(?:s|ed)? to)\b|n[’']t\b",
        re.IGNORECASE | re.ASCII,
    ),
    "ja": re.compile(
        r"(?<!なら)(?<!いけ)(?<!しれ)(?<!少)(?<!過ぎ)ない(?!よう)|(?<!なけれ)(?<!しれ)ません|せず"
    ),
    "zh": re.compile(
        r"不会|不打算|不计划|不拟|不[能予将再]|无法|不得(?!迟于|晚于)|没有|未能|并不|无意|不太可能"
    ),
}


def is_ahead(
    sentence: str,
    start: int,
    end: int,
    language: Language,
    *,
    is_relative: bool = False,
    has_year: bool = False,
) -> bool:
    """True if what a sentence names on the day at ``start`` to ``end`` is ahead, by the verb or the word of
    a plan that is nearest to the day. A day that has its year needs no such word, but none of the past."""
    if _is_given_up(sentence, start, end, language) or _is_negated(sentence, start, end, language):
        return False
    if language == "ja":
        verdict = _judge_japanese(sentence[end:])
    elif language == "zh":
        verdict = _judge_chinese(to_simplified(sentence), start, end)
    else:
        verdict = _judge_english(sentence, start, end, is_relative=is_relative, has_year=has_year)
    return verdict is True or (has_year and verdict is None)


def find_clause(sentence: str, start: int, end: int, language: Language) -> tuple[int, int]:
    """Return the bounds of the clause of what stands at ``start`` to ``end``. A clause at the beginning that
    is only a day belongs to the next one."""
    first, last = max(0, start - _MAX_CLAUSE), min(len(sentence), end + _MAX_CLAUSE)
    for mark in _CLAUSE_MARK[language].finditer(sentence, first, last):
        is_joined = mark.end() >= start - len(" the ") and _JOINS_DAY.search(mark.group())
        if mark.end() <= start and not is_joined:
            first = mark.end()
        elif mark.start() >= end:
            is_day_alone = first == 0 and _NOTHING_ELSE.fullmatch(sentence, 0, start)
            if is_day_alone and _NOTHING_ELSE.fullmatch(sentence, end, mark.start()):
                continue
            last = mark.start()
            break
    return first, last


def names_new_day(before: str) -> bool:
    """True if an English text before a time says that something was moved to it."""
    return _MOVED_TO_DAY.search(before) is not None


def _is_negated(sentence: str, start: int, end: int, language: Language) -> bool:
    compared = to_simplified(sentence) if language == "zh" else sentence
    return _NEGATION[language].search(compared, *find_clause(compared, start, end, language)) is not None


def _is_given_up(sentence: str, start: int, end: int, language: Language) -> bool:
    """True if the sentence says of the day at ``start`` to ``end`` that it was one of a former plan."""
    compared = to_simplified(sentence) if language == "zh" else sentence
    before, behind = compared[:start], compared[end:]
    if _MOVED_BEFORE[language].search(before) and _MOVED_BEHIND[language].match(behind):
        return True
    if language == "en":
        is_former = _GIVEN_UP["en"].search(before, _find_clause_start(before)) is not None
        return is_former and not names_new_day(before)
    if language == "ja":
        return _GIVEN_UP["ja"].search(behind) is not None
    return _GIVEN_UP["zh"].search(compared) is not None and not _ZH_NEW_DAY.search(before)


def _find_clause_start(text: str) -> int:
    return max((mark.end() for mark in _CLAUSE.finditer(text)), default=0)


def _judge_english(sentence: str, start: int, end: int, *, is_relative: bool, has_year: bool) -> bool | None:
    """Return True if the day is ahead, False if it is past, and None without a verb that says so."""
    before = sentence[:start]
    ahead_words = _AHEAD_ON_WEEKDAY if is_relative else _AHEAD
    if _EFFECTIVE.search(before) or _COPULA.search(before):
        return True
    if _FORMER.search(before):
        return False
    clause_start = _find_clause_start(before)
    is_deadline = has_year or _DEADLINE.search(before) is not None
    verdict = _find_last_verb(before[clause_start:], ahead_words, is_deadline=is_deadline)
    if verdict is None and (not is_relative or _BEGINNING.fullmatch(before, clause_start)):
        verdict = _find_first_verb(sentence[end:].lstrip(" ,"), ahead_words)
    if verdict is None:
        verdict = _find_last_verb(before, ahead_words, is_deadline=is_deadline)
    return verdict


def _find_last_verb(text: str, ahead_words: re.Pattern[str], *, is_deadline: bool) -> bool | None:
    """Return True if the last verb of ``text`` is one of the future or of a plan, None without a verb."""
    plans = [match.span() for match in ahead_words.finditer(text)]
    past = [
        match.start()
        for match in _PAST.finditer(text)
        if not any(start <= match.start() < end for start, end in plans)
        and not (
            _PARTICIPLE.match(text, match.start())
            and any(_ATTRIBUTE.fullmatch(text, end, match.start()) for _, end in plans)
        )
    ]
    ahead = [end for _, end in plans]
    if is_deadline or not past:
        ahead += [match.end() for match in _INFINITIVE.finditer(text)]
    if not ahead and not past:
        return None
    return max(ahead, default=-1) > max(past, default=-1)


def _find_first_verb(text: str, ahead_words: re.Pattern[str]) -> bool | None:
    clause = text[: mark.start()] if (mark := _CLAUSE.search(text)) else text
    ahead, past = ahead_words.search(clause), _PAST.search(clause)
    if ahead is None:
        return None if past is None else False
    return past is None or ahead.start() <= past.start()


def _judge_japanese(behind: str) -> bool | None:
    if _JA_AS_OF.match(behind):
        return False
    ahead, past = _JA_AHEAD.search(behind), _JA_PAST.search(behind)
    if ahead is None:
        return None if past is None else False
    return past is None or ahead.start() <= past.start()


def _judge_chinese(sentence: str, start: int, end: int) -> bool | None:
    """Compare the distances of the words of a plan and of the past in the clause of the day. A clause that
    is only the day belongs to the next one."""
    clause_start = max((mark.end() for mark in _ZH_CLAUSE.finditer(sentence, 0, start)), default=0)
    mark = _ZH_CLAUSE.search(sentence, end)
    if mark is not None and mark.start() - end <= 1 and start - clause_start <= 1:
        mark = _ZH_CLAUSE.search(sentence, mark.end())
    if _ZH_ATTRIBUTE.match(sentence, end) and not _ZH_PLAN_OF_DAY.search(sentence[:start]):
        return False
    clause = sentence[clause_start : mark.start() if mark else len(sentence)]
    at = start - clause_start
    ahead = min((abs(match.start() - at) for match in _ZH_AHEAD.finditer(clause)), default=None)
    past = min((abs(match.start() - at) for match in _ZH_PAST.finditer(clause)), default=None)
    if ahead is None:
        return None if past is None else False
    return past is None or ahead <= past
