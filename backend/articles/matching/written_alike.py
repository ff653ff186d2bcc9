"""Tells which names are one name written otherwise: spaces, dots, sound marks, Simplified or Traditional."""

import re
from functools import lru_cache

from backend.articles.slips.han_characters import load_han_characters
from backend.articles.text.folding import fold
from backend.entities.model import Entity

_SEPARATORS = re.compile(r"[\s\-‐‑–—.・･·＝=ー_'’&＆]+")
_SOUNDS = str.maketrans("ァィゥェォッャュョヮヂヅヰヱヲ", "アイウエオツヤユヨワジズイエオ")
_VU = re.compile("ヴ([ァィェォ])|ヴ")
_BA = {"ァ": "バ", "ィ": "ビ", "ェ": "ベ", "ォ": "ボ", None: "ブ"}
_PLURAL = re.compile(r"(?<=[a-z]{3})s$", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def build_skeleton(name: str) -> str:
    """Build what stays of ``name`` without what may be written in several ways."""
    folded = _VU.sub(lambda match: _BA[match[1]], fold(name).text)
    folded = _SEPARATORS.sub("", folded.translate(_SOUNDS))
    if folded.isascii():
        return _PLURAL.sub("", folded)
    simplified = load_han_characters().simplified
    return "".join(simplified.get(character, character) for character in folded)


@lru_cache(maxsize=16_384)
def _spell(name: str, ignores_case: bool, is_term: bool) -> str:
    spelled = name
    if is_term and name.isascii():
        # A hyphen may only mark an attribute (proof-of-stake network), and a plural is no other spelling.
        spelled = _PLURAL.sub("", name.replace("-", " "))
    if spelled.isascii() and (ignores_case or spelled.islower() or spelled.isupper()):
        spelled = spelled.lower()
    return spelled


def build_spelling(name: str, entity: Entity) -> str:
    """Build the form of ``name`` by which ways of writing are told apart."""
    return _spell(name, entity.case in ("any", "any-near-evidence"), entity.type == "term")
