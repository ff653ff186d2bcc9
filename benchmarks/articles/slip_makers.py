"""Makes random one-edit slips of names, as fingers, ears, eyes and input methods do."""

import unicodedata
from collections.abc import Callable
from random import Random

from backend.articles.slips.han_characters import load_han_characters
from backend.articles.slips.lexicon import Script

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_KANA = (
    "アイウエオカキクケコサシスセソタチツテトナニネノハヒフヘホマミムメモラリルレロ"
    "ガギグゲゴザジズダデドバビブベボパピプペポン"
)
_SMALL = dict(zip("アイウエオヤユヨツ", "ァィゥェォャュョッ", strict=True))
_VU = {"バ": "ヴァ", "ビ": "ヴィ", "ブ": "ヴ", "ベ": "ヴェ", "ボ": "ヴォ"}

Maker = Callable[[str, Random], str | None]


def _near(letter: str, chance: Random) -> str | None:
    for row in _KEYS:
        at = row.find(letter.lower())
        if at >= 0:
            near = chance.choice([row[k] for k in (at - 1, at + 1) if 0 <= k < len(row)])
            return near.upper() if letter.isupper() else near
    return None


def insert_letter(name: str, chance: Random) -> str | None:
    """A letter too many, mostly a key beside its neighbour."""
    at = chance.randrange(1, len(name) + 1)
    near = _near(name[at - 1], chance)
    letter = near.lower() if near and chance.random() < 0.6 else chance.choice(_LETTERS)
    return name[:at] + letter + name[at:]


def double_letter(name: str, chance: Random) -> str | None:
    at = chance.randrange(len(name))
    return name[:at] + name[at].lower() + name[at:] if at else None


def drop_letter(name: str, chance: Random) -> str | None:
    at = chance.randrange(1, len(name))
    return name[:at] + name[at + 1 :]


def swap_letters(name: str, chance: Random) -> str | None:
    at = chance.randrange(1, len(name) - 1)
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def press_near_key(name: str, chance: Random) -> str | None:
    at = chance.randrange(1, len(name))
    near = _near(name[at], chance)
    return name[:at] + near + name[at + 1 :] if near else None


def replace_letter(name: str, chance: Random) -> str | None:
    at = chance.randrange(1, len(name))
    letter = chance.choice(_LETTERS)
    return name[:at] + (letter.upper() if name[at].isupper() else letter) + name[at + 1 :]


def change_length(name: str, chance: Random) -> str | None:
    """A length mark too many or too few."""
    marks = [k for k, kana in enumerate(name) if kana == "ー"]
    if marks and chance.random() < 0.6:
        at = chance.choice(marks)
        return name[:at] + name[at + 1 :]
    at = chance.randrange(1, len(name) + 1)
    return None if "ー" in name[at - 1 : at + 1] or name[at - 1] in "ッ・ン" else name[:at] + "ー" + name[at:]


def change_kana_size(name: str, chance: Random) -> str | None:
    large = {small: kana for kana, small in _SMALL.items()}
    places = [k for k, kana in enumerate(name) if k and (kana in _SMALL or kana in large)]
    if not places:
        return None
    at = chance.choice(places)
    return name[:at] + (_SMALL.get(name[at]) or large[name[at]]) + name[at + 1 :]


def change_voicing(name: str, chance: Random) -> str | None:
    at = chance.randrange(len(name))
    base = unicodedata.normalize("NFD", name[at])[0]
    others = [unicodedata.normalize("NFC", base + mark) for mark in ("", "\u3099", "\u309a")]
    others = [other for other in others if len(other) == 1 and other != name[at]]
    return name[:at] + chance.choice(others) + name[at + 1 :] if others else None


def change_vu(name: str, chance: Random) -> str | None:
    back = {vu: kana for kana, vu in _VU.items()}
    places = [(k, form) for form in (*_VU, *back) for k in [name.find(form)] if k >= 0]
    if not places:
        return None
    at, form = chance.choice(places)
    return name[:at] + (_VU.get(form) or back[form]) + name[at + len(form) :]


def replace_kana(name: str, chance: Random) -> str | None:
    at = chance.randrange(len(name))
    return None if name[at] in "・ー" else name[:at] + chance.choice(_KANA) + name[at + 1 :]


def _replace_han(name: str, chance: Random, alike: Callable[[str], list[str]]) -> str | None:
    at = chance.randrange(len(name))
    others = alike(name[at])
    return name[:at] + chance.choice(others) + name[at + 1 :] if others else None


def replace_by_sound(name: str, chance: Random) -> str | None:
    """Another character of the same sound and script, as an input method gives it."""
    facts = load_han_characters()
    return _replace_han(name, chance, lambda one: _alike(one, facts.sounds.get(one), facts.sounds))


def replace_by_shape(name: str, chance: Random) -> str | None:
    facts = load_han_characters()
    return _replace_han(name, chance, lambda one: _alike(one, facts.shapes.get(one), facts.shapes))


def _alike(one: str, group: str | None, groups: object) -> list[str]:
    if group is None or not isinstance(groups, dict):
        return []
    facts = load_han_characters()
    strange = facts.is_simplified if facts.is_traditional(one) else facts.is_traditional
    return sorted(
        other for other, other_group in groups.items() if other_group == group and not strange(other)
    )


def mix_scripts(name: str, chance: Random) -> str | None:
    """One character in the other script, in a name in which another shows its own."""
    facts = load_han_characters()
    mixed = _replace_han(
        name,
        chance,
        lambda one: [found for found in (facts.traditional.get(one), facts.simplified.get(one)) if found],
    )
    if mixed is None:
        return None
    is_mixed = any(map(facts.is_simplified, mixed)) and any(map(facts.is_traditional, mixed))
    return mixed if is_mixed else None


def drop_character(name: str, chance: Random) -> str | None:
    return drop_letter(name, chance) if len(name) > 3 else None


def swap_characters(name: str, chance: Random) -> str | None:
    at = chance.randrange(len(name) - 1)
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def double_character(name: str, chance: Random) -> str | None:
    at = chance.randrange(len(name))
    return name[:at] + name[at] + name[at:]


MAKERS: dict[str, tuple[Script, Maker]] = {
    "insertion": ("latin", insert_letter),
    "doubling": ("latin", double_letter),
    "deletion": ("latin", drop_letter),
    "transposition": ("latin", swap_letters),
    "near key": ("latin", press_near_key),
    "substitution": ("latin", replace_letter),
    "length mark": ("katakana", change_length),
    "small kana": ("katakana", change_kana_size),
    "voicing": ("katakana", change_voicing),
    "vu or ba": ("katakana", change_vu),
    "kana replaced": ("katakana", replace_kana),
    "kana missing": ("katakana", drop_letter),
    "kana swapped": ("katakana", swap_characters),
    "same sound": ("han", replace_by_sound),
    "look-alike": ("han", replace_by_shape),
    "mixed scripts": ("han", mix_scripts),
    "Han missing": ("han", drop_character),
    "Han swapped": ("han", swap_characters),
    "Han doubled": ("han", double_character),
}
"""By kind: the script of the names, and what makes a slip; None where a name has no such slip."""
