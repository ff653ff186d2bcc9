"""Mistakes in files that people write: where each is, what to do about it, and how many there are."""

from dataclasses import dataclass, field
from pathlib import Path

MOST_KEPT = 100
"""Mistakes of one import that are kept; beyond, they are counted."""


@dataclass(frozen=True, slots=True)
class FileMistake:
    """``line`` counts from 1, and is 0 where the file as a whole is meant."""

    file: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


@dataclass
class Refusals:
    """What an import could not take."""

    mistakes: list[FileMistake] = field(default_factory=list)
    mistakes_in_all: int = 0

    def refuse(self, mistake: FileMistake) -> None:
        self.mistakes_in_all += 1
        if len(self.mistakes) < MOST_KEPT:
            self.mistakes.append(mistake)
