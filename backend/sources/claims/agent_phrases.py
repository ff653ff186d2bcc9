"""Finds the agent of an act in phrases such as "carried out by", の犯行 and 由…所为.

The agent need not be in the catalogue: a country, a group of attackers.
"""

import re
from collections.abc import Mapping

from backend.entities.model import Language

_NAME = r"(?P<name>[A-Z][\w'-]*(?:[ -][A-Z][\w'-]*){0,3})"
_PATTERNS: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:\b(?:carried out|committed|perpetrated|conducted|orchestrated|hacked|robbed|stolen|attacked)"
        r"(?: \w+){0,3}? by"
        r"|\b(?:attributed|traced|linked|ascribed)(?: [\w,]+){0,3}? to|\bblamed(?: [\w,]+){0,8}? on"
        r"|\b(?:FBI|authorities|police|Japan|Korea|Agency) (?:named|accused)"
        rf"|\b(?:[Tt]he )?work of) (?:the |hackers (?:from|of) )?{_NAME}"
    ),
    "ja": re.compile(
        r"(?P<name>[\u30a1-\u30fc\u4e00-\u9fffA-Za-z・]{2,20})(?:（[^）]{1,30}）)?"
        r"(?:の(?:犯行|仕業)|が実行し|が関与し|による(?:犯行|攻撃|ハッキング|窃取))"
    ),
    "zh": re.compile(
        r"(?:归因于|归咎于|(?:指认|认定|是|系|由)(?=[^。，]{2,24}(?:所为|实施|发动)))"
        r"(?P<name>[\u4e00-\u9fffA-Za-z·]{2,12}?)(?:黑客|组织|政府)?(?:（[^）]{1,30}）)?"
        r"(?:所为|实施|发动|[。，]|$)"
    ),
}


def find_named_agent(text: str, language: Language) -> str | None:
    """Return the first agent that ``text`` names in such a phrase, or None."""
    match = _PATTERNS[language].search(text)
    return match["name"] if match is not None else None
