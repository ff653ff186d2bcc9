"""Describes mistakes in imported files: file, line and reason."""

from dataclasses import dataclass, field
from pathlib import Path

MAX_STORED_MISTAKES = 100
"""Further mistakes of an import are only counted."""


@dataclass(frozen=True, slots=True)
class FileMistake:
    """``line`` counts from 1; 0 stands for the whole file."""

    file: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


@dataclass
class ImportErrors:
    """Collects the mistakes of one import."""

    mistakes: list[FileMistake] = field(default_factory=list)
    mistake_count: int = 0

    def add_mistake(self, mistake: FileMistake) -> None:
        self.mistake_count += 1
        if len(self.mistakes) < MAX_STORED_MISTAKES:
            self.mistakes.append(mistake)
