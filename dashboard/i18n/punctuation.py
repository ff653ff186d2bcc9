"""Joins texts with the punctuation of the reader's language: full-width in Japanese and Chinese."""

from collections.abc import Iterable

from dashboard.i18n import language, t


def join_items(items: Iterable[str]) -> str:
    """Joins items of a list: ``A, B``, ``A、B``."""
    return t("punctuation.comma").join(items)


def join_sentences(*sentences: str | None) -> str:
    """Joins sentences that end in their punctuation; leaves out empty ones."""
    return (" " if language() == "en" else "").join(filter(None, sentences))


def end_sentence(text: str) -> str:
    """Adds a full stop: ``A.``, ``A。``."""
    return t("punctuation.sentence", text=text)


def add_label(label: str, value: object) -> str:
    """Writes a label before its value: ``Volume: 5``, ``出来高：5``."""
    return t("punctuation.with_label", label=label, value=value)


def add_note(text: str, note: object) -> str:
    """Writes a note behind a text: ``Bitcoin (BTC)``, ``ビットコイン（BTC）``."""
    return t("punctuation.with_note", text=text, note=note)
