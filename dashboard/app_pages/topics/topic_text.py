"""Splits a topic's texts at terms, and selects its summary and bullets. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_TRANSLATION_LABELS = (
    "by a language model; names and figures checked.",
    "から言語モデルが翻訳。名称と数値は照合済み。",
    "，名称与数字已核对。",
)
"""The endings of subtitles with which the service labels translations by a model."""
_CLOSING_MARKS = "”\"』」’')）"
_SENTENCE_ENDS = (".", "。", "!", "！", "?", "？")


def is_machine_translated(item: Mapping[str, Any]) -> bool:
    """Whether a topic's text is a model's translation."""
    return str(item["subtitle"] or "").endswith(_TRANSLATION_LABELS)


class TermPiece(NamedTuple):
    """A piece of a text; ``definition`` is null unless the piece is a term."""

    text: str
    definition: str | None


def split_at_terms(text: str, terms: Iterable[Mapping[str, Any]], seen_terms: set[str]) -> list[TermPiece]:
    """Split ``text`` at the first occurrence of each term not in ``seen_terms``, to which it is added.

    Latin terms match whole words only. The joined pieces are the text.
    """
    spans: list[tuple[int, int, str]] = []
    for entry in sorted(terms, key=lambda term: -len(term["term"])):
        term = entry["term"].strip()
        if not term or term.casefold() in seen_terms:
            continue
        for match in re.finditer(rf"(?<![A-Za-z0-9]){re.escape(term)}(?![A-Za-z0-9])", text, re.IGNORECASE):
            if not any(match.start() < end and start < match.end() for start, end, _ in spans):
                spans.append((match.start(), match.end(), entry["definition"]))
                seen_terms.add(term.casefold())
                break
    pieces, position = [], 0
    for start, end, definition in sorted(spans):
        pieces += [TermPiece(text[position:start], None)] if start > position else []
        pieces.append(TermPiece(text[start:end], definition))
        position = end
    return [*pieces, TermPiece(text[position:], None)] if position < len(text) else pieces


def list_bullets(topic: Mapping[str, Any]) -> list[list[str]]:
    """List the groups of bullets without empty bullets and groups."""
    groups = [[bullet for bullet in group if bullet.strip()] for group in topic["summary_bullets"]]
    return [group for group in groups if group]


def omit_title(summary: str, title: str) -> str:
    """Return the summary without the title as its first sentence, under which it is shown."""
    is_ended = title.rstrip(_CLOSING_MARKS).endswith(_SENTENCE_ENDS)
    clauses = [title] if is_ended else [f"{title}.", f"{title}。"]
    for clause in clauses:
        rest = summary.removeprefix(clause)
        if rest != summary and (not rest or rest[0].isspace() or not clause[-1].isascii()):
            return rest.lstrip()
    return summary


def select_summary(topic: Mapping[str, Any]) -> str:
    """Return the summary as shown under the title; empty if the bullets contain all of it."""
    summary = omit_title(topic["summary"] or "", topic["title"])
    flat = " ".join(bullet for group in list_bullets(topic) for bullet in group)
    remaining = summary
    for bullet in sorted(
        (bullet for group in list_bullets(topic) for bullet in group), key=len, reverse=True
    ):
        remaining = remaining.replace(bullet, "")
    return "" if summary in flat or not remaining.strip() else summary


def join_content(topic: Mapping[str, Any]) -> str:
    """Join the summary and the bullets to one text."""
    return "\n".join([topic["summary"] or "", *(bullet for group in list_bullets(topic) for bullet in group)])
