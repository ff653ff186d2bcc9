"""Splits a topic's texts at terms and titles, and selects its summary and bullets. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_TRANSLATION_LABELS = (
    "by a language model; names and figures checked.",
    "から言語モデルが翻訳。名称と数値は照合済み。",
    "，名称与数字已核对。",
)
"""The endings of subtitles with which the service labels translations by a model."""


def is_machine_translated(item: Mapping[str, Any]) -> bool:
    """Whether a topic's text is a model's translation."""
    return str(item["subtitle"] or "").endswith(_TRANSLATION_LABELS)


class TermPiece(NamedTuple):
    """A piece of a text; ``definition`` is null unless the piece is a term."""

    text: str
    definition: str | None


def split_at_terms(text: str, terms: Iterable[Mapping[str, Any]], seen: set[str]) -> list[TermPiece]:
    """Split ``text`` at the first occurrence of each term that is not in ``seen``, to which it is added.

    Latin terms match whole words only. The joined pieces are the text.
    """
    spans: list[tuple[int, int, str]] = []
    for one in sorted(terms, key=lambda term: -len(term["term"])):
        term = one["term"].strip()
        if not term or term.casefold() in seen:
            continue
        for found in re.finditer(rf"(?<![A-Za-z0-9]){re.escape(term)}(?![A-Za-z0-9])", text, re.IGNORECASE):
            if not any(found.start() < end and start < found.end() for start, end, _ in spans):
                spans.append((found.start(), found.end(), one["definition"]))
                seen.add(term.casefold())
                break
    pieces, position = [], 0
    for start, end, definition in sorted(spans):
        pieces += [TermPiece(text[position:start], None)] if start > position else []
        pieces.append(TermPiece(text[start:end], definition))
        position = end
    return [*pieces, TermPiece(text[position:], None)] if position < len(text) else pieces


class TitlePiece(NamedTuple):
    """A piece of a text; ``topic`` is null unless the piece is another topic's title."""

    text: str
    topic: int | None


def split_at_titles(line: str, titles: Mapping[str, int]) -> list[TitlePiece]:
    """Split a line of an insight at titles of topics."""
    contained = sorted((title for title in titles if title in line), key=len, reverse=True)
    if not contained:
        return [TitlePiece(line, None)] if line else []
    title = contained[0]
    before, _, after = line.partition(title)
    return [
        *split_at_titles(before, titles),
        TitlePiece(title, titles[title]),
        *split_at_titles(after, titles),
    ]


def list_bullets(topic: Mapping[str, Any]) -> list[list[str]]:
    """List the groups of bullets without empty bullets and groups."""
    groups = [[one for one in group if one.strip()] for group in topic["summary_bullets"]]
    return [group for group in groups if group]


def select_summary(topic: Mapping[str, Any]) -> str:
    """Return the summary; empty if the bullets contain all of it."""
    summary = topic["summary"] or ""
    flat = " ".join(one for group in list_bullets(topic) for one in group)
    rest = summary
    for one in sorted((one for group in list_bullets(topic) for one in group), key=len, reverse=True):
        rest = rest.replace(one, "")
    return "" if summary in flat or not rest.strip() else summary


def join_content(topic: Mapping[str, Any]) -> str:
    """Join the summary and the bullets to one text."""
    return "\n".join([topic["summary"] or "", *(one for group in list_bullets(topic) for one in group)])
