"""Tells by which edit one word became another, and how likely that edit is a slip."""

from dataclasses import dataclass
from enum import Enum

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_VOWELS = frozenset("aeiouy")
_LOOK_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        "o0",
        "l1",
        "i1",
        "s5",
        "b8",
        "e3",
        "a4",
        "il",
        "uv",
        "nm",
        "ij",
        "ec",
        "vw",
        "gq",
        "z2",
        "t7",
    )
)
_SOUND_ALIKE = frozenset(
    frozenset(pair) for pair in ("ck", "sz", "iy", "ce", "cs", "kq", "bv", "pb", "td", "fv", "gj", "lr", "mn")
)


def _list_near_keys() -> frozenset[frozenset[str]]:
    pairs: set[frozenset[str]] = set()
    for row, letters in enumerate(_ROWS):
        for column, letter in enumerate(letters):
            pairs.update(frozenset((letter, neighbour)) for neighbour in letters[column + 1 : column + 2])
            if row + 1 < len(_ROWS):
                below = _ROWS[row + 1]
                pairs.update(
                    frozenset((letter, neighbour)) for neighbour in below[max(0, column - 1) : column + 1]
                )
    return frozenset(pairs)


_NEAR = _list_near_keys()


class EditKind(Enum):
    """What happened to a name. The value is part of no answer."""

    SWAPPED = "swapped"
    DOUBLED = "doubled"
    EXTRA = "extra"
    SUFFIX = "suffix"
    MISSING = "missing"
    CHANGED = "changed"
    SOUND = "sound"
    JAPANESE_SOUND = "Japanese sound"
    STYLE = "style"
    SHAPE = "shape"
    MIXED = "mixed"
    SCRIPT = "script"
    SPACING = "spacing"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit. ``likelihood`` is between 0 and 1: how likely a word so changed is a slip for the name."""

    kind: EditKind
    likelihood: float


def find_edit(written: str, right: str) -> Edit | None:
    """Find the single edit that made ``written`` of ``right``, both in lower case; None if it takes more.

    An edit is a letter too many, a letter that is missing, another letter, or two neighbours swapped.
    """
    first, last_written, last_right = _find_difference(written, right)
    extra, missing = written[first:last_written], right[first:last_right]
    at_start = first == 0
    if len(extra) == 2 and len(missing) == 2:
        if extra == missing[::-1]:
            return Edit(EditKind.SWAPPED, 0.85 if at_start else 0.97)
        return None
    if len(extra) == 1 and not missing:
        return _rate_extra_letter(written, right, first)
    if len(missing) == 1 and not extra:
        return _rate_missing_letter(right, first)
    if len(extra) == 1 and len(missing) == 1:
        return _rate_changed_letter(extra, missing, at_start=at_start, at_end=first == len(right) - 1)
    return None


def _find_difference(written: str, right: str) -> tuple[int, int, int]:
    """Return where two words begin to differ, and where in each word they agree again."""
    limit = min(len(written), len(right))
    first = 0
    while first < limit and written[first] == right[first]:
        first += 1
    shared = 0
    while shared < limit - first and written[-1 - shared] == right[-1 - shared]:
        shared += 1
    return first, len(written) - shared, len(right) - shared


def _rate_extra_letter(written: str, right: str, position: int) -> Edit:
    letter = written[position]
    # After a doubled letter the words agree up to the second of the two.
    if position and written[position - 1] == letter:
        return Edit(EditKind.DOUBLED, 0.97)
    if position == len(right):
        if letter == "s":
            return Edit(EditKind.SUFFIX, 0.5)
        return Edit(EditKind.SUFFIX, 0.7 if frozenset((letter, right[-1])) in _NEAR else 0.55)
    if position == 0:
        return Edit(EditKind.EXTRA, 0.6)
    neighbours = (written[position - 1], written[position + 1])
    is_near = any(frozenset((letter, neighbour)) in _NEAR for neighbour in neighbours)
    return Edit(EditKind.EXTRA, 0.92 if is_near else 0.87)


def _rate_missing_letter(right: str, position: int) -> Edit:
    if position and right[position - 1] == right[position]:
        return Edit(EditKind.MISSING, 0.96)
    if position == 0:
        return Edit(EditKind.MISSING, 0.65)
    if position == len(right) - 1:
        return Edit(EditKind.MISSING, 0.75)
    return Edit(EditKind.MISSING, 0.92)


def _rate_changed_letter(extra: str, missing: str, *, at_start: bool, at_end: bool) -> Edit:
    letters = frozenset((extra, missing))
    if letters in _LOOK_ALIKE and not extra.isalpha():
        likelihood = 0.95
    elif letters in _NEAR or (letters <= _VOWELS and len(letters) == 2) or letters in _LOOK_ALIKE:
        likelihood = 0.9
    elif letters in _SOUND_ALIKE:
        likelihood = 0.88
    else:
        likelihood = 0.78
    if at_start:
        likelihood -= 0.2
    elif at_end:
        likelihood -= 0.06
    return Edit(EditKind.CHANGED, likelihood)


_KANA_LOOK_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        *(
            "ソン",
            "シツ",
            "ソリ",
            "ノソ",
            "ンシ",
            "クワ",
            "ウワ",
            "クタ",
            "ヌス",
            "チテ",
            "アマ",
            "ナメ",
            "コユ",
        ),
        *("ルレ", "ラフ", "ヲヨ", "セヤ", "ロコ", "ミシ", "カヤ", "エユ", "トイ", "ネホ", "フワ", "リソ"),
    )
)
_FIRST_LOOK_ALIKE, _INNER_LOOK_ALIKE = 0.85, 0.95


def find_kana_edit(written: str, right: str) -> Edit | None:
    """Find the single edit between two katakana words. Every kana is as near to any other on a keyboard."""
    edit = find_edit(written, right)
    if edit is None:
        return None
    if edit.kind is EditKind.SUFFIX:
        return Edit(EditKind.SUFFIX, 0.75 if written[-1] in "スズ" else 0.65)
    if edit.kind is not EditKind.CHANGED:
        return edit
    position = next(
        index
        for index, (letter, right_letter) in enumerate(zip(written, right, strict=True))
        if letter != right_letter
    )
    if frozenset((written[position], right[position])) in _KANA_LOOK_ALIKE:
        return Edit(EditKind.CHANGED, _INNER_LOOK_ALIKE if position else _FIRST_LOOK_ALIKE)
    return Edit(EditKind.CHANGED, min(edit.likelihood, 0.8))


def count_edits(written: str, right: str, limit: int = 4) -> int:
    """Count insertions, deletions and substitutions between two words; at most ``limit``."""
    if abs(len(written) - len(right)) >= limit:
        return limit
    row = list(range(len(right) + 1))
    for row_index, letter in enumerate(written, 1):
        previous, row[0] = row[0], row_index
        for column, right_letter in enumerate(right, 1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (letter != right_letter)),
            )
        if min(row) >= limit:
            return limit
    return min(row[-1], limit)
