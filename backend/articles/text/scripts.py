"""Tells in which script a name is written, so that a correction can stay in it."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Literal

Script = Literal["latin", "kana", "han"]

_SCRIPTS: tuple[tuple[Script, re.Pattern[str]], ...] = (
    ("latin", re.compile("[A-Za-z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a]")),
    ("kana", re.compile("[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d]")),
    ("han", re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
)
MIN_SIMILARITY = 0.5
"""Share of characters in common from which a text is a slip of a name and not another name."""
_HAN_OR_KANA = re.compile("|".join(pattern.pattern for _, pattern in _SCRIPTS[1:]))


def script_of(text: str) -> Script | None:
    """Return the only script of the letters in ``text``; None if it has several scripts or no letters."""
    found = [script for script, pattern in _SCRIPTS if pattern.search(text)]
    return found[0] if len(found) == 1 else None


def has_han_or_kana(text: str, start: int, end: int) -> bool:
    """True if ``text[start:end]`` contains a Han or kana character."""
    return _HAN_OR_KANA.search(text, start, end) is not None


def choose_same_script(
    written: str, suggested: str, canonical: Iterable[str], others: Iterable[str] = ()
) -> tuple[str, bool]:
    """Choose the name that corrects ``written`` in its own script, and tell whether it is in that script.

    ``suggested`` is chosen if its script is the same or unclear; otherwise the first ``canonical`` name in
    the script of ``written``, or the one of ``others`` that resembles ``written`` most. Without such a name,
    ``suggested`` is returned with False.
    """
    script = script_of(written)
    if script is None or script_of(suggested) in (None, script):
        return suggested, True
    same = next((name for name in canonical if script_of(name) == script), None)
    if same is None:
        alike = [(_similarity(written, name), name) for name in others if script_of(name) == script]
        similarity, same = max(alike, default=(0.0, suggested))
        if similarity < MIN_SIMILARITY:
            return suggested, False
    return same, True


def _similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
