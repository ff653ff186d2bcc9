"""Rates how sure it is that a word is a slip for a name, from the edit, the name's length and the neighbours.

The two thresholds come from ``benchmarks/articles/unlisted_slips.py``, which plants slips in clean sentences.
"""

import re
from typing import TYPE_CHECKING

from backend.articles.slips.edits import EditKind
from backend.articles.slips.han_characters import find_clear_script, leans_traditional, load_han_characters
from backend.articles.slips.han_words import is_part_of_words
from backend.articles.slips.lexicon import load_lexicon
from backend.articles.slips.targets import MIN_HAN_CHARS, Candidate, Name
from backend.articles.text.boundaries import CLASS, MARK, WORD

if TYPE_CHECKING:
    from backend.articles.matching.matched_field import MatchedField

MIN_REPORTED = 0.55
"""Below this confidence a word is not reported."""
BESIDE_OWN_NAME = 0.6
"""Confidence of a slip that is reported only because another name of its entity stands beside it."""
MIN_UNASKED = 0.88
"""From this confidence on a slip is corrected without asking."""

_JOINED_BEFORE = frozenset("@#$/\\_.:~=<{`+")
_JOINED_AFTER = frozenset("/\\_@=({~`+")
_LENGTH: dict[int, float] = {4: -0.15, 5: -0.05, 6: -0.05, 7: -0.02}
"""What short names lose, by letters."""
REPEATED = 0.15
"""What a slip loses that a field has again and again."""
_LONG_CHARS, _LONG = 9, 0.02
_SEVERAL_WORDS = 0.08
_IN_SMALL_LETTERS, _INNER_CAPITALS, _ALL_CAPITALS = 0.1, 0.15, 0.1
_SHORT_STEM, _MAX_STEM_CHARS = 0.1, 4
"""What a slip loses in the short part of a name whose rest many names share."""
_COMMON_ENDINGS = ("coin", "token", "chain", "swap", "pay", "dao", "bit", "fi", "ex")
_COMMON_STARTS = ("bit", "coin", "crypto", "block", "meta", "moon", "token", "chain")
_OTHER_SCRIPT = 0.1
"""What a Traditional name loses in a Simplified text, and the reverse."""
_WORD_BESIDE, _WORD_BESIDE_SHAPE = 0.21, 0.31
_ALWAYS_ASKS = 0.85
_WEAKLY_EXPLAINED = 0.75
"""Confidence of a slip in Han that ordinary words explain only in part."""
_NO_PLURAL = -0.12
"""What a final s gains after a name that has no plural; twice outside English."""
_OTHER_SOUND = 0.2
"""What a slip loses outside Japanese that only Japanese sounds explain."""
_COUNTABLE = ("coin", "token", "dollar")

_JOINT = re.compile(r"([\s\-\u2010\u2011])")

MAX_HAN_AROUND = 4
"""Characters around a name that words beside it may have."""

Span = tuple[int, int]


def rate_candidate(
    matched_field: "MatchedField", span: Span, folded: str, folded_span: Span, candidate: Candidate
) -> float:
    """Rate a candidate between 0 and 1, without regard to evidence.

    ``span`` is its place in the field, ``folded_span`` that in the folded text ``folded``.
    """
    name = candidate.word.name
    before, after = folded[folded_span[0] - 1], folded[folded_span[1]]
    if name.is_latin:
        if CLASS[before] & WORD or CLASS[after] & (WORD | MARK):
            return 0.0
        if before in _JOINED_BEFORE or after in _JOINED_AFTER:
            return 0.0
        if (before == "-" and folded[folded_span[0] - 2].isalnum()) or (
            after == "." and folded[folded_span[1] + 1 : folded_span[1] + 2].isalnum()
        ):
            return 0.0
        return _rate_latin(matched_field, span, candidate)
    if not name.is_han:
        if name.folded[0].isascii() and CLASS[before] & WORD:
            return 0.0
        return candidate.edit.likelihood + _compute_length_bonus(name.folded.replace("・", ""))
    return _rate_han(matched_field, folded, folded_span, candidate)


def _compute_length_bonus(letters: str) -> float:
    return _LONG if len(letters) >= _LONG_CHARS else _LENGTH.get(len(letters), 0.0)


def _rate_latin(matched_field: "MatchedField", span: Span, candidate: Candidate) -> float:
    written = matched_field.visible_text[span[0] : span[1]]
    name, kind = candidate.word.name, candidate.edit.kind
    points = candidate.edit.likelihood + _compute_length_bonus("".join(filter(str.isalnum, name.folded)))
    if not candidate.word.is_whole and kind is not EditKind.SPACING:
        points += _SEVERAL_WORDS
    if kind is EditKind.SPACING:
        return points - _compute_spacing_penalty(matched_field, span, written, name)
    if kind is not EditKind.CHANGED and _extract_digits(written) != _extract_digits(name.folded):
        return 0.0
    if candidate.word.is_whole and _is_in_stem(candidate.word.text, written.lower()):
        points -= _SHORT_STEM
    if written[1:].lower() != written[1:] and _count_capitals(written) != _count_capitals(name.text):
        points -= 0.0 if written.isupper() else _INNER_CAPITALS
    if name.type == "term" and written.lower().startswith(name.folded[:-1]):
        return 0.0  # tokenize and tokenized are forms of one word
    if kind is EditKind.SUFFIX:
        points -= _compute_suffix_penalty(written, name, in_english=matched_field.language == "en")
    if kind is EditKind.JAPANESE_SOUND and matched_field.language != "ja":
        points -= _OTHER_SOUND
    is_proper = name.text != name.folded
    if written.islower():
        points -= _IN_SMALL_LETTERS if is_proper else 0.0
    elif written.isupper():
        points -= (
            0.0 if name.text.isupper() or matched_field.capitalization.in_capitals(span[0]) else _ALL_CAPITALS
        )
    return points


def _count_capitals(text: str) -> int:
    return sum(map(str.isupper, text))


def _is_in_stem(right: str, written: str) -> bool:
    """Whether a slip is in the short part that tells such names apart (Netcoin, Notcoin)."""
    ending = next((affix for affix in _COMMON_ENDINGS if right.endswith(affix)), "")
    if ending and len(right) - len(ending) <= _MAX_STEM_CHARS:
        return written.endswith(ending)
    start = next((affix for affix in _COMMON_STARTS if right.startswith(affix)), "")
    return bool(start) and len(right) - len(start) <= _MAX_STEM_CHARS and written.startswith(start)


def _extract_digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _compute_suffix_penalty(written: str, name: Name, *, in_english: bool) -> float:
    """Compute the penalty of a letter at the end: it may be a plural, or name a program (bitcoind)."""
    if written.islower():
        return 1.0
    if written.endswith(("s", "S")):
        if name.type == "term" or name.folded.endswith(_COUNTABLE) or name.folded in load_lexicon("latin"):
            return 1.0
        return _NO_PLURAL if in_english else 2 * _NO_PLURAL
    return 0.0


def _compute_spacing_penalty(matched_field: "MatchedField", span: Span, written: str, name: Name) -> float:
    """Compute the penalty of a space or hyphen that may separate two words."""
    is_split = len(written) > len(name.text)
    if not is_split:
        return 0.0 if written[:1].isupper() else 1.0
    first, joint, second = _JOINT.split(written, maxsplit=1)
    if not written[:1].isupper() or joint == "\n":
        return 1.0
    if second[:1].isupper() or joint not in (" ", "\u00a0", "\u3000"):
        return 0.0
    lexicon = load_lexicon("latin")
    if all(len(part) < 5 or part.lower() in lexicon for part in (first, second)):
        return 0.15 if matched_field.capitalization.opens_sentence(span[0]) else 0.05
    return 0.0


def _rate_han(matched_field: "MatchedField", folded: str, folded_span: Span, candidate: Candidate) -> float:
    right = candidate.word.text
    points = candidate.edit.likelihood + (0.0 if len(right) > MIN_HAN_CHARS else -0.05)
    characters = load_han_characters()
    is_other_script = (
        characters.is_simplified
        if leans_traditional(matched_field.visible_text)
        else characters.is_traditional
    )
    if len(right) == MIN_HAN_CHARS and candidate.edit.kind in (EditKind.SOUND, EditKind.SHAPE):
        points -= _compute_rest_penalty(
            matched_field, folded[folded_span[0] : folded_span[1]], right, candidate.edit.kind
        )
    if any(map(is_other_script, right)):
        points -= _OTHER_SCRIPT
    kind = candidate.edit.kind
    if kind is EditKind.SCRIPT:
        is_other = any(map(is_other_script, right)) or not any(
            map(is_other_script, folded[folded_span[0] : folded_span[1]])
        )
        return (
            0.0
            if is_other or find_clear_script(matched_field.visible_text) is None
            else min(points, _ALWAYS_ASKS)
        )
    if kind in (EditKind.MIXED, EditKind.SPACING):
        return points
    if matched_field.language == "ja":  # the word list has no Japanese words in Han
        return points
    is_alike = kind is not EditKind.CHANGED
    # The word list is in Simplified characters.
    first = max(0, folded_span[0] - MAX_HAN_AROUND)
    around = characters.simplify(folded[first : folded_span[1] + MAX_HAN_AROUND])
    start, end = folded_span[0] - first, folded_span[1] - first
    simplified, words = characters.simplify(right), load_lexicon("han")
    if not is_part_of_words(around, start, end, simplified, words, is_alike=is_alike):
        return points
    if kind is not EditKind.SOUND or candidate.word.name.type == "term":
        return 0.0
    is_weak_reason = not is_part_of_words(around, start, end, simplified, words, is_lenient=True)
    return min(points, _WEAKLY_EXPLAINED) if is_weak_reason else 0.0


def _compute_rest_penalty(matched_field: "MatchedField", written: str, right: str, kind: EditKind) -> float:
    """Compute the penalty of a short name that is a word but for one end (交易所, 交易也)."""
    rest = right[:-1] if written[:-1] == right[:-1] else right[1:] if written[1:] == right[1:] else ""
    index = matched_field.rules.slip_index()
    is_word = rest in load_lexicon("han") or (index is not None and index.is_known(rest))
    if not rest or not is_word:
        return 0.0
    return _WORD_BESIDE_SHAPE if kind is EditKind.SHAPE else _WORD_BESIDE


def adapt_case(matched_field: "MatchedField", start: int, written: str, right: str) -> str:
    """Write the right name in capitals, or with a first capital, where the slip is written so."""
    if written.isupper() and len(written) > 1 and matched_field.capitalization.in_capitals(start):
        return right.upper()
    if right.islower() and written[:1].isupper():
        return right[:1].upper() + right[1:]
    return right
