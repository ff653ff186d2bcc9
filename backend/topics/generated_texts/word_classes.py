"""Finds words that are compared by class alone: directions, weekdays and relative dates."""

import re
from collections.abc import Mapping
from typing import Literal

Direction = Literal["up", "down"]

_DIRECTIONS: Mapping[Direction, re.Pattern[str]] = {
    "up": re.compile(
        r"\b(?:ris(?:e[sn]?|ing)|rose|gain(?:s|ed|ing)?|climb(?:s|ed|ing)?|soar(?:s|ed|ing)?|surg(?:e[sd]?|ing)"
        r"|jump(?:s|ed|ing)?|rall(?:y|ies|ied|ying)|advanc(?:e[sd]?|ing)|increas(?:e[sd]?|ing)|higher"
        r"|rebound(?:s|ed|ing)?)\b|\bup (?:by |about |nearly )?[$\d+]|(?<![\d\w])\+\d"
        "|上昇|値上がり|急騰|高騰|増加|反発|続伸|上涨|上漲|上升|飙升|飆升|大涨|反弹|攀升|增长|走高",
        re.IGNORECASE,
    ),
    "down": re.compile(
        r"\b(?:falls?|fell|fallen|falling|drop(?:s|ped|ping)?|declin(?:e[sd]?|ing)|slid(?:es?|ing)?|sank|sinks?"
        r"|plung(?:e[sd]?|ing)|tumbl(?:e[sd]?|ing)|crash(?:es|ed|ing)?|slump(?:s|ed|ing)?|los(?:es?|t|ing)|lower"
        r"|decreas(?:e[sd]?|ing)|dip(?:s|ped|ping)?)\b|\bdown (?:by |about |nearly )?[$\d−-]"
        r"|(?<![\d\w])[−-]\d+(?:\.\d+)?%|下落|値下がり|急落|暴落|減少|続落|低下|下跌|下降|暴跌|大跌|下滑|走低|回落",
        re.IGNORECASE,
    ),
}
_WEEKDAYS = {
    "Monday": "Mon|月曜|周一|星期一|礼拜一",
    "Tuesday": "Tues|火曜|周二|星期二|礼拜二",
    "Wednesday": "Wednes|水曜|周三|星期三|礼拜三",
    "Thursday": "Thurs|木曜|周四|星期四|礼拜四",
    "Friday": "Fri|金曜|周五|星期五|礼拜五",
    "Saturday": "Satur|土曜|周六|星期六|礼拜六",
    "Sunday": "Sun|日曜|周日|周天|星期日|星期天|礼拜天",
}
_RELATIVE_DATES = {
    "yesterday": r"\byesterday\b|昨日|昨天",
    "today": r"\btoday\b|\btonight\b|今日|本日|今天|今晚|今夜",
    "tomorrow": r"\btomorrow\b|明日|明天",
    "last week": r"\b(?:last|past|previous) week\b|先週|上周|上週",
    "this week": r"\bthis week\b|今週|本周|这周",
    "next week": r"\bnext week\b|来週|下周|下週",
    "last month": r"\b(?:last|past|previous) month\b|先月|上个月|上月",
    "this month": r"\bthis month\b|今月|本月|这个月",
    "next month": r"\bnext month\b|来月|下个月|下月",
    "last year": r"\b(?:last|past|previous) year\b|昨年|去年",
    "this year": r"\bthis year\b|今年|本年",
    "next year": r"\bnext year\b|来年|明年",
}
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    **{name: re.compile(rf"\b{words.replace('|', 'day|', 1)}") for name, words in _WEEKDAYS.items()},
    **{name: re.compile(words, re.IGNORECASE) for name, words in _RELATIVE_DATES.items()},
}


def find_directions(text: str) -> set[Direction]:
    """Find the directions of change in a text."""
    return {direction for direction, pattern in _DIRECTIONS.items() if pattern.search(text)}


def find_relative_dates(text: str) -> set[str]:
    """Find weekdays and relative dates such as "yesterday" in a text."""
    return {name for name, pattern in _PATTERNS.items() if pattern.search(text)}
