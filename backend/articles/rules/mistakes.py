"""Mistakes of those who write rules, each with its file and line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MAX_MISTAKES = 100
"""How many a refusal spells out."""


@dataclass(frozen=True, slots=True)
class PackMistake:
    """One mistake: where it is and what to do about it."""

    file: Path
    line: int
    """From 1; 0 where the file as a whole is meant."""
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


class RulesRefused(ValueError):
    """Rules that cannot be used; the message holds every mistake found, one a line."""

    def __init__(self, mistakes: Sequence[PackMistake]) -> None:
        shown = [str(mistake) for mistake in mistakes[:MAX_MISTAKES]]
        if len(mistakes) > MAX_MISTAKES:
            shown.append(f"and {len(mistakes) - MAX_MISTAKES} more mistakes")
        super().__init__("\n".join(shown))
        self.mistakes = tuple(mistakes)
