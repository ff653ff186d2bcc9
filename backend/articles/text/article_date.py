"""Finds the date of an article: given, in its front matter, in its name, or the first date in its text."""

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

DateOrigin = Literal["field", "front_matter", "name", "text"]
"""Where the date of an article comes from; ``name`` is that of its file, its id or its source."""
FIRST_YEAR, LAST_YEAR = 1990, 2099
MAX_SEARCHED_CHARS = 4_000
"""How far into a text the first date is looked for."""

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR, _DAY = r"(?:19|20)\d\d", r"[12]\d|3[01]|0?[1-9]"
_DATE = re.compile(
    rf"(?<!\d)(?P<y1>{_YEAR})(?P<sep>[-/.])(?P<m1>0?[1-9]|1[0-2])(?P=sep)(?P<d1>{_DAY})(?!\d)"
    rf"|(?<!\d)(?P<y2>{_YEAR}) ?年 ?(?P<m2>1[0-2]|0?[1-9]) ?月(?: ?(?P<d2>{_DAY}) ?[日号號])?"
    rf"|\b(?P<n3>{_MONTH})\b\.? (?:(?P<d3>{_DAY})(?:st|nd|rd|th)?,? )?(?P<y3>{_YEAR})(?!\d)"
    rf"|(?<!\d)(?P<d4>{_DAY})(?:st|nd|rd|th)? (?P<n4>{_MONTH})\b\.?,? (?P<y4>{_YEAR})(?!\d)",
    re.IGNORECASE,
)
_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[^\S\n]*\n(.*?)\n\1[^\S\n]*(?:\n|\Z)", re.DOTALL)
_DATE_FIELD = re.compile(
    r"^[\"']?(?:date|published|published_at|publishdate|pubdate|created|日付)[\"']?\s*[:=]\s*(.+)$",
    re.MULTILINE | re.IGNORECASE,
)
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")


class LocatedDate(NamedTuple):
    """The date of an article and its origin."""

    day: date
    origin: DateOrigin


def find_article_date(
    given: str | None, names: Iterable[str | None], texts: Iterable[str | None]
) -> date | None:
    """Return the date of an article, or None if nothing tells it; see :func:`locate_article_date`."""
    located = locate_article_date(given, names, texts)
    return located.day if located else None


def locate_article_date(
    given: str | None, names: Iterable[str | None], texts: Iterable[str | None]
) -> LocatedDate | None:
    """Return the date of an article with its origin, or None if nothing tells it.

    ``given`` is its own field, ``names`` are those of its file, its id or its source, ``texts`` its fields in
    order. A month without a day counts as its first day.
    """
    if given and (found := parse_date(given)) is not None:
        return LocatedDate(found, "field")
    listed = [text for text in texts if text]
    for text in listed:
        matter = _FRONT_MATTER.match(text[:MAX_SEARCHED_CHARS])
        field = _DATE_FIELD.search(matter[2]) if matter else None
        if field and (found := parse_date(field[1])) is not None:
            return LocatedDate(found, "front_matter")
    for name in names:
        if name and (found := _parse_name(name)) is not None:
            return LocatedDate(found, "name")
    for text in listed:
        if (found := parse_date(text[:MAX_SEARCHED_CHARS])) is not None:
            return LocatedDate(found, "text")
    return None


@lru_cache(maxsize=1024)
def parse_date(text: str) -> date | None:
    """Return the first date in ``text`` with at least a year and a month, or None."""
    return next(filter(None, map(_to_date, _DATE.finditer(text))), None)


def _parse_name(name: str) -> date | None:
    """Return the date in the name of a file or an address, where it may have no separators (20240906)."""
    parsed = parse_date(name)
    if parsed is None and (found := _COMPACT.search(name)) is not None:
        parsed = _build_date(int(found[1]), int(found[2]), int(found[3]))
    return parsed


def _to_date(found: re.Match[str]) -> date | None:
    kind = next(kind for kind in "1234" if found[f"y{kind}"])
    year = int(found[f"y{kind}"])
    month = int(found[f"m{kind}"]) if kind in "12" else _MONTHS[found[f"n{kind}"].lower()]
    day = int(found[f"d{kind}"] or 1)
    return _build_date(year, month, day)


def _build_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if FIRST_YEAR <= year <= LAST_YEAR else None
    except ValueError:
        return None
