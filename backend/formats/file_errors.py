"""Describes errors in files: the file, the line and the reason."""

from dataclasses import dataclass, field
from pathlib import Path

MAX_STORED_ERRORS = 100
"""Further errors of an import are only counted."""
WHOLE_FILE = 0
"""The line number of an error that concerns no single line."""


@dataclass(frozen=True, slots=True)
class FileError:
    """An error in a file. ``line`` counts from 1, or is :data:`WHOLE_FILE`."""

    file: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: {self.reason}"
            if self.line != WHOLE_FILE
            else f"{self.file}: {self.reason}"
        )


@dataclass
class ImportErrors:
    """Collects the errors of one import."""

    errors: list[FileError] = field(default_factory=list)
    error_count: int = 0

    def add_error(self, error: FileError) -> None:
        self.error_count += 1
        if len(self.errors) < MAX_STORED_ERRORS:
            self.errors.append(error)
