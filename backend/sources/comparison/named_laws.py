"""Tells laws apart by their titles: a record of one act says nothing of another that passed the same day."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.sources.claims.model import ParsedStatement

_TITLES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?P<title>(?!The )[A-Z][\w-]+(?: [A-Z][\w-]+){0,9}) (?:Act|Bill)\b"),
    "ja": re.compile("(?P<title>[A-Z][A-Za-z0-9]{2,15})法案?(?![\u4e00-\u9fff])"),
    "zh": re.compile("(?P<title>[A-Z][A-Za-z0-9]{2,15}) ?法案"),
}
_CONTINUED = re.compile(
    r"(?:\b(?:of|and|for|in|on|to|from|against|with|by|or)|\d\w*|\b[A-Z]\.|[,&/])\s*$"
    r"|\b[A-Z][\w-]+ (?:of|and|for|in|on|to|from|against|with|by|or) the $"
)
"""What stands before words that may only be the end of a longer title."""
_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Z]{3,}(?![A-Za-z0-9])")


def are_different(claim: ParsedStatement, passage: ParsedStatement) -> bool:
    """True if a passage names a law and none that the claim names. Only whole titles compare, and only a
    title of one word with another of one word, and a long one with a long one."""
    titles, other_titles = _find_titles(claim), _find_titles(passage)
    if not titles or not other_titles or None in titles or None in other_titles:
        return False
    names, other_names = ({title for title in found if title} for found in (titles, other_titles))
    if len({" " in title for title in names | other_names}) > 1:
        return False
    return not (
        any(_is_named(title, passage.text) for title in names)
        or any(_is_named(title, claim.text) for title in other_names)
    )


def _find_titles(statement: ParsedStatement) -> set[str | None]:
    """Find the titles of laws; None stands for one that may be cut off or begin with other words."""
    titles = set[str | None]()
    for match in _TITLES[statement.language].finditer(statement.text):
        title = match["title"]
        is_prefixed = " " in title and any(len(word) > 1 and word.isupper() for word in title.split(" "))
        is_cut = not title.isupper() and _CONTINUED.search(statement.text[: match.start()]) is not None
        titles.add(None if is_prefixed or is_cut else title)
    return titles


def _is_named(title: str, text: str) -> bool:
    """True if a text has the words of a title, or its initials in capitals."""
    if f" {_normalize(title)} " in f" {_normalize(text)} ":
        return True
    initials = "".join(word[0] for word in title.split(" "))
    return not {initials, f"{initials}A"}.isdisjoint(_CAPITALS.findall(text))


def _normalize(text: str) -> str:
    return " ".join(word.lower().removesuffix("s") for word in re.findall("[A-Za-z0-9]+", text))
