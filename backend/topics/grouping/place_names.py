"""Finds the countries and the states of the USA that a headline names, in any language.

The USA itself is left out: most headlines could name it.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from babel import Locale

from backend.entities.model import Language

_LOCALES: Mapping[Language, tuple[str, ...]] = MappingProxyType(
    {"en": ("en",), "ja": ("ja",), "zh": ("zh", "zh_Hant")}
)
_COUNTRY_CODE = re.compile(r"[A-Z]{2}")
_LEFT_OUT = frozenset({"US", "UM", "EU", "EZ", "UN", "ZZ", "XA", "XB"})
_MIN_CHARS = {"en": 4, "ja": 2, "zh": 2}
_STATES = (
    "Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Delaware",
    "Florida", "Hawaii", "Idaho", "Illinois", "Indiana", "Iowa", "Kansas", "Kentucky", "Louisiana", "Maine",
    "Maryland", "Massachusetts", "Michigan", "Minnesota", "Mississippi", "Missouri", "Montana", "Nebraska",
    "Nevada", "New Hampshire", "New Jersey", "New Mexico", "New York", "North Carolina", "North Dakota",
    "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "Rhode Island", "South Carolina", "South Dakota",
    "Tennessee", "Texas", "Utah", "Vermont", "Virginia", "West Virginia", "Wisconsin", "Wyoming",
)  # fmt: skip


def find_places(title: str, language: Language) -> frozenset[str]:
    """Find the codes of the countries, and the names of the states, that a title names."""
    pattern, codes = _load_names(language)
    return frozenset(codes[match.group()] for match in pattern.finditer(title))


@cache
def _load_names(language: Language) -> tuple[re.Pattern[str], Mapping[str, str]]:
    codes = {state: state for state in _STATES} if language == "en" else {}
    for locale in _LOCALES[language]:
        for code, name in Locale.parse(locale).territories.items():
            is_country = _COUNTRY_CODE.fullmatch(code) and code not in _LEFT_OUT
            if is_country and len(name) >= _MIN_CHARS[language]:
                codes[name] = code
    names = "|".join(re.escape(name) for name in sorted(codes, key=len, reverse=True))
    edge = r"\b" if language == "en" else ""
    return re.compile(f"{edge}(?:{names}){edge}(?!-based)"), codes
