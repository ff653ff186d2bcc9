"""Extracts the words of a text outside its slots: word stems, character pairs and unlisted names."""

import re
from collections.abc import Iterable
from pathlib import Path

import yaml

from backend.formats.chinese import to_simplified

MAX_WORDS = 600
"""Maximum stems and pairs of one text."""
MAX_NAMES = 40

_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'-]{2,40}")
_LOWER_WORD = re.compile(r"(?<![A-Za-z])[a-z]{4,40}(?![A-Za-z])")
MIN_HEADLINE_NAMES = 4
"""Minimum capitalised words of a headline that capitalises every word."""
_HAN = re.compile(r"[\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff々]{2,}")
_HIRAGANA = re.compile(r"[\u3041-\u3096]")
_HIRAGANA_PAIR = re.compile(r"[\u3041-\u3096]{2}")
_CAPITALISED = re.compile(r"(?<![A-Za-z0-9_.])[A-Z][A-Za-z]*[A-Za-z0-9]+(?:-[A-Z][a-z]+|-\d{1,6})*")
_KATAKANA = re.compile(r"(?<![\u30a1-\u30fc])[\u30a1-\u30fa][\u30a1-\u30fc]{2,20}(?![\u30a1-\u30fc])")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。！？\"“(]\s*)$")
_WORDS = {
    name: frozenset(words)
    for name, words in yaml.load(
        (Path(__file__).parent / "data" / "words.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader
    ).items()
}
_COMMON = _WORDS["common"]
_NO_NAMES = _WORDS["not_names"]
_COMMON_KATAKANA = _WORDS["common_katakana"]


def list_terms(text: str, excluded_spans: Iterable[tuple[int, int]]) -> frozenset[str]:
    """Return stems of Latin words and pairs of Han and kana of a plain ``text`` without the spans
    ``excluded_spans``."""
    terms: set[str] = set()
    for fragment in _split_outside(text, excluded_spans):
        for match in _LATIN_WORD.finditer(fragment):
            word = match.group().lower()
            if word not in _COMMON:
                terms.add(stem(word))
        for match in _HAN.finditer(fragment):
            run = match.group()
            terms.update(run[index : index + 2] for index in range(min(len(run) - 1, MAX_WORDS)))
        if len(terms) > MAX_WORDS:
            break
    return frozenset(word for word in terms if not _HIRAGANA_PAIR.fullmatch(word))


def list_content_terms(text: str, excluded_spans: Iterable[tuple[int, int]]) -> frozenset[str]:
    """Return the terms that have content of their own: without got, made, announced, 发生在."""
    empty_spans = (match.span() for match in _EMPTY.finditer(text))
    terms = list_terms(text, [*excluded_spans, *empty_spans]) - _LIGHT
    return frozenset(word for word in terms if not _HIRAGANA.search(word))


def find_names(text: str, excluded_spans: Iterable[tuple[int, int]]) -> tuple[str, ...]:
    """Find words that look like names, outside ``excluded_spans``. A headline with every word capitalised has
    none. The first word of a sentence counts only without the ending of an ordinary word."""
    sorted_spans = sorted(excluded_spans)
    names: dict[str, None] = {}
    capitalised = list(_CAPITALISED.finditer(text[:4_000]))
    lowercase = len(_LOWER_WORD.findall(text[:4_000]))
    if len(capitalised) < MIN_HEADLINE_NAMES or 2 * lowercase > len(capitalised):
        for match in capitalised:
            word = match.group()
            if (
                word in _NO_NAMES
                or word.lower() in _COMMON
                or _is_covered(match.span(), sorted_spans)
                or (len(word) < 3 and not word.isupper())
            ):
                continue
            ends_as_ordinary = word.endswith(("s", "ing", "ly", "ed", "y", "er"))
            ends_as_ordinary = ends_as_ordinary and not text.startswith("'s", match.end())
            if ends_as_ordinary and _starts_sentence(text, match.start()):
                continue
            names[word] = None
    for match in _KATAKANA.finditer(text[:4_000]):
        if match.group() not in _COMMON_KATAKANA and not _is_covered(match.span(), sorted_spans):
            names[match.group()] = None
    return tuple(names)[:MAX_NAMES]


def _starts_sentence(text: str, position: int) -> bool:
    return _SENTENCE_START.search(text, max(0, position - 4), position) is not None


def _is_covered(span: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)


def _split_outside(text: str, excluded_spans: Iterable[tuple[int, int]]) -> Iterable[str]:
    position = 0
    for start, end in sorted(excluded_spans):
        if start > position:
            yield text[position:start]
        position = max(position, end)
    yield text[position:]


def stem(word: str) -> str:
    """Return a rough stem without endings of number, tense and person, so that approves matches approved."""
    word = word.removesuffix("'s").strip("'-")
    for ending in (
        "ations",
        "ation",
        "ments",
        "ment",
        "ings",
        "ing",
        "ied",
        "ies",
        "ed",
        "es",
        "s",
        "ly",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_LIGHT = frozenset(map(stem, _WORDS["light"])) | _WORDS["light"]
_EMPTY = re.compile(rf"{'|'.join(sorted(word for word in _WORDS['light'] if not word.isascii()))}|[了的在于]")


def normalize_name(text: str) -> str:
    """Return lower case without spaces, hyphens and middle dots, which are optional in names.

    Traditional Chinese characters become Simplified ones.
    """
    return re.sub(r"[\s・·=＝-]", "", to_simplified(text.lower()))
