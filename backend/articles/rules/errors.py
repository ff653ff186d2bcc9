"""Mistakes of those who write rules, each with its file and line."""

from collections.abc import Sequence

from backend.formats.file_errors import FileMistake
from backend.formats.plurals import counted

MAX_MISTAKES = 100
"""How many a refusal spells out."""


class InvalidRulesError(ValueError):
    """Rules that cannot be used; the message holds every mistake found, one a line."""

    def __init__(self, mistakes: Sequence[FileMistake]) -> None:
        shown = [str(mistake) for mistake in mistakes[:MAX_MISTAKES]]
        if len(mistakes) > MAX_MISTAKES:
            shown.append(f"and {counted(len(mistakes) - MAX_MISTAKES, 'more mistake')}")
        super().__init__("\n".join(shown))
        self.mistakes = tuple(mistakes)
