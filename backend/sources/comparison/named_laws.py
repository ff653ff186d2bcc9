"""Tells laws apart by their titles: a record of one act says nothing of another that passed the same day."""

import re
from collections.abc import Mapping

from backend.entities.model import Language
from backend.sources.claims.lexical_features import normalize_name
from backend.sources.claims.model import ParsedStatement

_TITLES: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?P<title>(?!The )[A-Z][\w-]+(?: [A-Z][\w-]+){0,4}) (?:Act|Bill)\b"),
    "ja": re.compile("(?P<title>[A-Z][A-Za-z0-9]{2,15})法案?(?![\u4e00-\u9fff])"),
    "zh": re.compile("(?P<title>[A-Z][A-Za-z0-9]{2,15}) ?法案"),
}


def are_different(claim: ParsedStatement, passage: ParsedStatement) -> bool:
    """True if a passage names a law and none that the claim names, by its title or its initials."""
    titles, other_titles = (
        {match["title"] for match in _TITLES[statement.language].finditer(statement.text)}
        for statement in (claim, passage)
    )
    if not titles or not other_titles:
        return False
    told, claimed = (normalize_name(statement.text) for statement in (passage, claim))
    return not (
        any(normalize_name(title) in told or _abbreviate(title) in told for title in titles)
        or any(normalize_name(title) in claimed or _abbreviate(title) in claimed for title in other_titles)
    )


def _abbreviate(title: str) -> str:
    words = title.split(" ")
    return "".join(word[0] for word in words).lower() if len(words) > 1 else title.lower()
