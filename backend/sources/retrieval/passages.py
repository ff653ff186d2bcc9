"""Splits documents into passages short enough to compare with a claim."""

import re
from collections.abc import Collection, Iterator

from backend.documents.model import Document
from backend.documents.tokenizer import terms

MAX_PASSAGE_CHARS = 600
"""A document up to this length is one passage."""
MAX_PASSAGES_PER_DOCUMENT = 3
"""Passages of a document that are compared with a claim."""
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\s|$)|[。！？]+|[.!?]|\n+|$)[」』”\")]*")


def split_passages(document: Document) -> list[str]:
    """Return title and text as one passage if they are short, else runs of sentences within the limit."""
    whole = _join_title(document)
    if len(whole) <= MAX_PASSAGE_CHARS or document.kind == "landmark":
        return [whole]
    return list(_split_into_runs(document.text)) or [whole[:MAX_PASSAGE_CHARS]]


def choose_passages(passages: list[str], query: Collection[str]) -> list[str]:
    """Choose the passages that share most terms with ``query``, in the order of the text."""
    if len(passages) <= MAX_PASSAGES_PER_DOCUMENT:
        return passages
    shared = [len(set(terms(passage)) & set(query)) for passage in passages]
    best = sorted(range(len(passages)), key=lambda index: (-shared[index], index))[:MAX_PASSAGES_PER_DOCUMENT]
    return [passages[index] for index in sorted(best) if shared[index]]


def _split_into_runs(text: str) -> Iterator[str]:
    run = ""
    for match in _SENTENCE.finditer(text):
        for start in range(0, len(match[0]), MAX_PASSAGE_CHARS):
            sentence = match[0][start : start + MAX_PASSAGE_CHARS]
            if run and len(run) + len(sentence) > MAX_PASSAGE_CHARS:
                yield run.strip()
                run = ""
            run += sentence
    if run.strip():
        yield run.strip()


def _join_title(document: Document) -> str:
    title, text = document.title, document.text
    if not title or text.startswith(title):
        return text
    stop = "。" if document.language in ("ja", "zh") else "."
    return f"{title}{'' if title.rstrip()[-1:] in '.!?。！？' else stop}\n{text}"
