"""Finds times that are no exact day (*by the end of Q1*, *the week of 9 November*, 11月上旬, 未来几周).

Such a time is shown in the report's own words, never as one of its days. A time that may be part of a
longer one (3年内, 去年第四季度) or that dates something else (*breaches in March*) is left out.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from backend.entities.model import Language
from backend.formats.chinese import to_simplified
from backend.topics.insights.scheduled_days import find_clause, names_new_day
from backend.topics.number_format import format_day

_EN = re.IGNORECASE | re.ASCII
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>(?-i:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?))(?![a-z])"
)
_YEAR = r"(?:,? (?:of )?(?:(?P<year>20\d\d)|(?P<next>next year)|this year|the year)(?!\d))?"
_PREPOSITION = r"(?:by|before|until|till|in|during|at|around|over|within|towards?)"
_PART = r"(?:(?:the )?(?:end|start|beginning|middle) of |(?:early|mid|late)[- ])"
_DAY = rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH}|{_MONTH.replace('month', 'of')} (?P<at>\d{{1,2}}))"
_QUARTER = r"(?:Q(?P<quarter>[1-4])|(?P<ordinal>first|second|third|fourth) quarter)"
_HALF = r"(?:H(?P<half>[12])|(?P<which>first|second) half)"
_COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "ten": 10,
}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})"
_JA_YEAR = r"(?:(?:(?P<year>20\d\d)年|令和(?P<era>\d{1,2}|元)年|(?P<next>来年)|今年)の?)?"
_ZH_YEAR = r"(?:(?P<year>20\d\d)年|(?P<next>明年)|今年)?"
_PERIODS: Mapping[Language, tuple[re.Pattern[str], ...]] = {
    "en": (
        re.compile(rf"\b(?:(?:in|during|by) )?the week (?:of|beginning|starting) {_DAY}{_YEAR}", _EN),
        re.compile(rf"\b(?:on or )?(?:about|around|approximately) {_DAY}{_YEAR}", _EN),
        re.compile(rf"\b(?:on )?{_DAY}{_YEAR} or so\b", _EN),
        re.compile(
            rf"\b(?P<by>{_PREPOSITION} )?(?:(?:the )?(?:end|start|beginning|middle) of )?(?:the )?"
            rf"(?:(?:early|mid|late)[- ])?(?:{_QUARTER}|{_HALF}){_YEAR}\b",
            _EN,
        ),
        re.compile(
            rf"(?:\b{_PREPOSITION} |(?<= to )|(?<= into )){_PART}?{_MONTH}(?! \d{{1,2}}\b){_YEAR}", _EN
        ),
        re.compile(
            rf"\b{_PREPOSITION} (?:(?:the )?end of (?:the |this )?"
            r"(?:(?P<year>20\d\d)|year|quarter|month|week)|(?:the )?(?:year|month)(?:[’']s |-| )end"
            r"|(?P<part>early|mid|late)[- ](?P<from>20\d\d))\b",
            _EN,
        ),
        re.compile(
            r"\b(?:(?:in|over|within|during) the (?:next|coming) (?:few |several )?(?:days|weeks|months)"
            rf"|within (?:the next )?{_COUNT} (?:hours?|days?|weeks?|months?)"
            rf"|(?:{_PREPOSITION} )?{_PART}?next (?:week|month|quarter|year)"
            r"|later this (?:week|month|quarter|year))\b",
            _EN,
        ),
    ),
    "ja": (
        re.compile(rf"{_JA_YEAR}(?P<month>\d{{1,2}})月?[～〜~-](?P<to>\d{{1,2}})月期"),
        re.compile(
            rf"{_JA_YEAR}(?P<month>\d{{1,2}})月"
            r"(?:(?P<day>\d{1,2})日(?:の週|ごろ|頃|前後)|上旬|中旬|下旬|末|初め|前半|後半|中(?=に)|内)(?:まで)?"
        ),
        re.compile(rf"{_JA_YEAR}(?:第(?P<quarter>[1-4一二三四])四半期|(?P<half>[上下])半期)(?:中|内|まで)?"),
        re.compile(
            r"(?:(?:(?P<year>20\d\d)年|令和(?P<era>\d{1,2}|元)年|(?P<next>来年)|今年)の?(?P<part>前半|後半|末|春|夏|秋)"
            r"|年内|年末|今?月[内末]|今?週内|来週末?|来月(?:上旬|中旬|下旬|末|初め)?|今後数(?:日|週間|[かカヶ]月))"
            r"(?!の?[月火水木金土日]曜)(?:まで)?"
        ),
    ),
    "zh": (
        re.compile(
            rf"{_ZH_YEAR}(?P<month>\d{{1,2}})月"
            r"(?:(?P<day>\d{1,2})[日号](?:当周|左右|前后|那周)|上旬|中旬|下旬|底|末|初|份?内)(?:之?前)?"
        ),
        re.compile(
            rf"(?<!对)(?<!对于)(?<!对第)(?<!对于第){_ZH_YEAR}"
            r"(?:第?(?P<quarter>[一二三四1-4])季度|Q(?P<number>[1-4])|(?P<half>[上下])半年)(?:内|末|之?前)?"
        ),
        re.compile(
            r"(?:(?P<year>20\d\d)年(?P<part>底|末|初|中|内)|(?P<next>明年)年?(?:底|初|中|内)?|(?:今年|今|本)?年[底末内]|本?月[底末内]"
            r"|下(?:周|个?月)[底末初]?(?![一二三四五六日天])|未来(?:几|数)(?:天|周|个月))(?:之?前)?"
        ),
    ),
}
"""The narrower times first."""
_NUMBERS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "上": 1,
    "下": 2,
}
_PARTS = {"early": (1, 4), "mid": (5, 8), "late": (9, 12), "初": (1, 4), "前半": (1, 6), "後半": (7, 12)} | {
    "春": (3, 5),
    "夏": (6, 8),
    "秋": (9, 11),
}
_THIS_YEAR = re.compile(r"\b(?:this|the) year\b|今年", _EN)
_REIWA = 2018
"""Added to a year of the era 令和."""
_CUT_IN_FRONT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:\b(?:of|after|since|than|beyond|past|last|previous|prior|each|every|fiscal"
        r"|financial|20\d\d)(?: the)?"
        r"|[\d-]) ?$",
        _EN,
    ),
    "ja": re.compile(
        r"(?:[\d〇零一二三四五六七八九十百数何半毎再翌々同昨去前先当各次隔学周度個箇かカヶケヵ～〜~/.-]|[年期](?:の|における)?|[旬末日月]から)$"
    ),
    "zh": re.compile(
        r"(?:[\d〇零一二两三四五六七八九十百几数多半每再下后後上去前昨先同当次翌隔学周年度季个財财/.~-]"
        r"|(?:[\d日号月周季度旬底末初])[至到]|[年度]的)$"
    ),
}
"""What directly in front of a time makes it a part of another (3年内, 每月底, 下下周, 去年第四季度)."""
_CUT_BEHIND: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"[-’'\w]|,? (?:of )?(?:last|the (?:previous|prior|same|following)|that|each|every"
        r"|(?:19|20)\d\d|fiscal|FY)\b"
        r"| (?:or|and|to|through|until) (?:the |early |late |mid-)?"
        r"(?:(?-i:[JFMASOND][a-z]{2})|Q\d|H\d|first|second|third|fourth|next)"
        r"| of (?!(?:20\d\d|this year|next year|the year)\b)|,? (?:FY|fiscal)"
        r"| (?:points?|percentage|to|through) |(?:-| (?:to|through) )\d",
        _EN,
    ),
    "ja": re.compile(
        r"(?!$|[\s、。,.;!?)」』（(・]|に(?!お[けい])|まで|へ|から(?!\d)|以降|ごろ|頃|[をが](?:めど|目|予定|期限|見込)|より|と(?:見|し|な)"
        r"|の?(?:開始|実施|施行|発効|公開|上場|導入|発行|提供|稼働|完了|採決|投票|予定|見込|見通し|リリース|ローンチ)(?!した|し、|済|分))"
    ),
    "zh": re.compile(
        r"的|内?(?:财报|财务|业绩|营收|收入|净|利润|亏损|盈利|报告|数据|结果|收益|销售|奖励|分红"
        r"|最|新高|新低|涨|跌|累计|首|高点|低点|以来|至|到|[~-]\d)|[一二三四五六日天]"
    ),
}
"""What directly behind a time makes it a part of another, or an attribute of what it does not date."""
_ATTRIBUTE = re.compile(
    r"(?:\b(?:trades|transactions|breaches|violations|losses|thefts?|hacks?|attacks?|activity|activities|failures"
    r"|outages?|outflows|inflows|events|offen[cs]es|deals|misconduct|incidents?|results|earnings|accounts|conduct)"
    r"|(?<!\bbe )(?<!\bbeen )(?<!\bis )(?<!\bare )\b(?!(?:expected|planned|scheduled|slated|targeted"
    r"|anticipated|postponed|delayed|proposed|need|speed)\b)(?:[a-z]+ed|frozen|stolen|lost|sold|made|held|paid|sent|bought"
    r"|taken|drawn)) $",
    _EN,
)
"""Words before *in March* that it belongs to (*a fine for breaches in March*, *coins frozen in January*)."""
_LOCATIVE = re.compile(r"(?:in|during|at|around|over|within)\b", _EN)
_FISCAL: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:fiscal|financial year|FY ?['’]?\d*)\b", _EN),
    "ja": re.compile(r"年度|会計|FY|(?<![～〜~\d-])(?:1[0-2]|[1-9])月期"),
    "zh": re.compile(r"财年|财政年|会计年|财季|年度|FY"),
}
_PART_OF_YEAR = re.compile(r"quarter|half|\b[qh]\d|四半期|半期|季度|半年", re.IGNORECASE)
"""It has no known months in a sentence about fiscal years."""
_FIGURES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:revenues?|profits?|loss(?:es)?|EBITDA|income|sales|margins?|expenses|growth|inflation|demand|volumes?"
        r"|GDP|cash flow)\b",
        _EN,
    ),
    "ja": re.compile(r"売上|収益|利益|赤字|黒字|損失|業績|営業益|純損"),
    "zh": re.compile(r"营收|收入|利润|亏损|盈利|净利|销售额|业绩|增长"),
}
"""Words of a clause that forecasts a figure for a time."""
_RULE = re.compile(
    r"\b(?:requir\w+|oblig\w+|mandat\w+|must|rules?|can|could|lets?|allow\w*|enabl\w+|permit\w*|each|every|any|if"
    r"|once|when(?:ever)?)\b",
    _EN,
)
_RULE_BEHIND = re.compile(r",? (?:of|after|from|following|since|once|if|when)\b", _EN)
"""*Within 72 hours* of something else, or of each case of a rule, is no time of the report."""
_FUTURE: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:will|would|shall|should|could|may|might|must|to|plans?|planned|expects?|expected|aims?|intends?"
        r"|scheduled|slated|due|targets?|begins|starts|launches|opens|returns|takes effect)\b",
        _EN,
    ),
    "ja": re.compile(
        r"予定|見込|見通し|計画|目指|方針|目標|期限|へ(?:$|。)|に向け|[うくすつぬむぶる](?:$|。|と|予定|見)"
    ),
    "zh": re.compile(r"将|拟|计划|预计|目标|力争|争取|定于|最迟|预定|前"),
}
_SAID_ON: Mapping[Language, str] = {
    "en": "{words} (said on {day})",
    "ja": "{words}（{day}の報道）",
    "zh": "{words}（{day}报道）",
}
_WITH_YEAR: Mapping[Language, str] = {
    "en": "{words} ({year})",
    "ja": "{words}（{year}年）",
    "zh": "{words}（{year}年）",
}
_MAX_PAST = timedelta(days=150)
"""Time since a month without a year beyond which the one of the next year is meant."""
_JUST_OVER = timedelta(days=31)
"""Time since the same months of last year within which they may be meant (*in December*, said in January)."""
_DEADLINE = re.compile(r"(?:by|before|until|till)\b|前$|まで$", re.IGNORECASE)
_UNITS = (
    (re.compile(r"hour|day|日|天", re.IGNORECASE), "day"),
    (re.compile(r"week|週|周", re.IGNORECASE), "week"),
    (re.compile(r"month|月", re.IGNORECASE), "month"),
    (re.compile(r"quarter", re.IGNORECASE), "quarter"),
)
_UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_LOOSE = re.compile(r"the (?:next|coming)|今後|未来", re.IGNORECASE)
_LOOSE_DAYS = {"day": 7, "week": 31, "month": 62}
"""How far *in the coming weeks* may reach."""
_NEXT = re.compile(r"\bnext\b|来|下", re.IGNORECASE)
_CONTEXT_CHARS = 40


@dataclass(frozen=True, slots=True)
class Period:
    """A time in a sentence. ``words`` are those of the report, with the year or the day of the report."""

    first: date
    last: date
    start: int
    end: int
    words: str


def find_periods(
    sentence: str, language: Language, written_on: date, letters: Sequence[str] = ()
) -> Iterator[Period]:
    """Generate the times of a sentence that are no exact day, without overlap.

    ``letters`` are the characters of a normalised sentence as the report writes them, one for each place.
    """
    compared = to_simplified(sentence) if language == "zh" else sentence
    covered = bytearray(len(compared))
    is_fiscal = _FISCAL[language].search(compared) is not None
    for pattern in _PERIODS[language]:
        for match in pattern.finditer(compared):
            start, end = match.span()
            if not _has_context(match.groupdict()) or covered.find(1, start, end) >= 0:
                continue
            covered[start:end] = b"\1" * (end - start)
            if (is_fiscal and _PART_OF_YEAR.search(match.group())) or not _is_due_time(match, language):
                continue
            words = "".join(letters[start:end]) if letters else sentence[start:end]
            if (days := _resolve(match, language, written_on)) is not None:
                yield Period(*days, start, end, _write(words, match, days, language, written_on))


def _has_context(groups: Mapping[str, str | None]) -> bool:
    """False for an English quarter or half with neither preposition nor year (*third quarter results*)."""
    return "by" not in groups or any(groups[name] is not None for name in ("by", "year", "next"))


def _is_due_time(match: re.Match[str], language: Language) -> bool:
    """False for a part of a longer expression, a time of something else, and one of a figure or a rule."""
    text, (start, end) = match.string, match.span()
    before = text[max(0, start - _CONTEXT_CHARS) : start]
    if _CUT_IN_FRONT[language].search(before) or _CUT_BEHIND[language].match(text, end):
        return False
    if language == "en" and _LOCATIVE.match(match.group()) and _ATTRIBUTE.search(before):
        return False
    first, last = find_clause(text, start, end, language)
    if before.endswith((" to ", " into ")) and not names_new_day(text[:start]):
        return False
    if _FIGURES[language].search(text, first, last):
        return False
    is_span = match.groupdict().get("count") is not None
    return not (is_span and (_RULE_BEHIND.match(text, end) or _RULE.search(text, first, last)))


def _write(
    words: str, match: re.Match[str], days: tuple[date, date], language: Language, written_on: date
) -> str:
    capitalised = words[:1].upper() + words[1:]
    if not _has_calendar(match.groupdict()):
        return _SAID_ON[language].format(words=capitalised, day=format_day(written_on, language))
    if re.search(r"20\d\d", words):
        return capitalised
    first, last = days[0].year, days[1].year
    year = str(first) if first == last else f"{first}–{last}" if language == "en" else f"{first}〜{last}"
    return _WITH_YEAR[language].format(words=capitalised, year=year)


def _has_calendar(groups: Mapping[str, str | None]) -> bool:
    relative = ("count", "by", "to", "day", "at")
    return any(value is not None for name, value in groups.items() if name not in relative)


def _resolve(match: re.Match[str], language: Language, written_on: date) -> tuple[date, date] | None:
    """Return the first and the last day of a time; None if it is none, or if its year is uncertain."""
    groups = match.groupdict()
    if not _has_calendar(groups):
        last = _find_reach(match.group(), groups.get("count"), written_on)
        return written_on, last
    if (months := _read_months(groups)) is None:
        return None
    year = _read_year(groups, written_on)
    if year is None:
        year = _find_year(match, months, language, written_on)
    if year is None:
        return None
    if (day := groups.get("day") or groups.get("at")) is not None:
        return _find_day(year, months[0], int(day))
    return date(year, months[0], 1), _end_month(year + (months[1] < months[0]), months[1])


def _read_months(groups: Mapping[str, str | None]) -> tuple[int, int] | None:
    named = groups.get("month") or groups.get("of")
    quarter = groups.get("quarter") or groups.get("ordinal") or groups.get("number")
    half = groups.get("half") or groups.get("which")
    if named is not None:
        month = int(named) if named.isdigit() else _MONTHS.index(named[:3].lower()) + 1
        months = (month, int(groups.get("to") or month))
        return months if all(1 <= one <= 12 for one in months) else None
    if quarter is not None:
        number = _NUMBERS.get(quarter.lower()) or int(quarter)
        return 3 * number - 2, 3 * number
    if half is not None:
        number = _NUMBERS.get(half.lower()) or int(half)
        return 6 * number - 5, 6 * number
    return _PARTS.get((groups.get("part") or "").lower(), (1, 12))


def _read_year(groups: Mapping[str, str | None], written_on: date) -> int | None:
    if (era := groups.get("era")) is not None:
        return _REIWA + (1 if era == "元" else int(era))
    if (year := groups.get("year") or groups.get("from")) is not None:
        return int(year)
    return written_on.year + 1 if groups.get("next") is not None else None


def _find_year(
    match: re.Match[str], months: tuple[int, int], language: Language, written_on: date
) -> int | None:
    """Find the year of months without one: this year, or the next one if they are long over and the clause
    speaks of the future; None if those of last year, which are just over, may be meant."""
    of_year, wraps = written_on.year, months[1] < months[0]
    if _THIS_YEAR.search(match.group()):
        return of_year
    if wraps and written_on <= _end_month(of_year, months[1]):
        return of_year - 1
    if written_on - _end_month(of_year + wraps, months[1]) > _MAX_PAST:
        first, last = find_clause(match.string, *match.span(), language)
        return of_year + 1 if _FUTURE[language].search(match.string, first, last) else None
    is_just_over = written_on - _end_month(of_year - 1 + wraps, months[1]) <= _JUST_OVER
    return None if is_just_over and not _DEADLINE.search(match.group()) else of_year


def _find_reach(words: str, count: str | None, written_on: date) -> date:
    """Return the last day that a time without a calendar may mean (*next month*, *within two weeks*)."""
    unit = next((name for pattern, name in _UNITS if pattern.search(words)), "year")
    if count is not None:
        number = _COUNTS.get(count.lower()) or int(count)
        if unit == "month":
            return _add_months(written_on, number)
        days = -(-number // 24) if "hour" in words.lower() else number * (7 if unit == "week" else 1)
        return written_on + timedelta(days=days)
    if _LOOSE.search(words):
        return written_on + timedelta(days=_LOOSE_DAYS[unit])
    steps = 1 if _NEXT.search(words) else 0
    if unit == "week":
        return written_on + timedelta(days=6 - written_on.weekday() + 7 * steps)
    size = _UNIT_MONTHS[unit]
    month = (written_on.month - 1) // size * size + size * (steps + 1)
    year, place = divmod(month - 1, 12)
    return _end_month(written_on.year + year, place + 1)


def _add_months(day: date, number: int) -> date:
    years, place = divmod(day.month - 1 + number, 12)
    end = _end_month(day.year + years, place + 1)
    return end.replace(day=min(day.day, end.day))


def _find_day(year: int, month: int, day: int) -> tuple[date, date] | None:
    if not 1 <= day <= monthrange(year, month)[1]:
        return None
    found = date(year, month, day)
    return found, found + timedelta(days=6)


def _end_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])
