"""The stretches of a document that can speak of a claim: short enough to be held against it whole."""

import re
from collections.abc import Collection, Iterator

from backend.documents.model import Document
from backend.documents.tokenizer import terms

LONGEST = 600
"""Characters of a passage; a document that is no longer is one passage."""
MOST = 3
"""Passages of a document that are held against a claim."""
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\s|$)|[。！？]+|[.!?]|\n+|$)[」』”\")]*")


def passages_of(document: Document) -> list[str]:
    """The title with the text where both are short; else runs of sentences, each within the limit."""
    whole = _joined(document.title, document.text)
    if len(whole) <= LONGEST or document.kind == "landmark":
        return [whole]
    return list(_runs(document.text)) or [whole[:LONGEST]]


def likeliest(passages: list[str], wanted: Collection[str]) -> list[str]:
    """The few passages that share most of the terms ``wanted``, in the order of the text."""
    if len(passages) <= MOST:
        return passages
    shared = [len(set(terms(passage)) & set(wanted)) for passage in passages]
    best = sorted(range(len(passages)), key=lambda index: (-shared[index], index))[:MOST]
    return [passages[index] for index in sorted(best) if shared[index]]


def _runs(text: str) -> Iterator[str]:
    run = ""
    for match in _SENTENCE.finditer(text):
        for start in range(0, len(match[0]), LONGEST):
            sentence = match[0][start : start + LONGEST]
            if run and len(run) + len(sentence) > LONGEST:
                yield run.strip()
                run = ""
            run += sentence
    if run.strip():
        yield run.strip()


def _joined(title: str, text: str) -> str:
    if not title or text.startswith(title):
        return text
    ends = title.rstrip()[-1:] in ".!?。！？"
    return f"{title}{'' if ends else '.'}\n{text}"
