"""Describes errors in files: the file, the line and the reason."""

from dataclasses import dataclass, field
from pathlib import Path

from backend.formats.plurals import format_count

MAX_STORED_ERRORS = 100
"""Further errors of an import, and errors of further causes, are only counted."""
WHOLE_FILE = 0
"""The line number of an error that concerns no single line."""


@dataclass(frozen=True, slots=True)
class FileError:
    """An error in a file. ``line`` counts from 1, or is :data:`WHOLE_FILE`. ``place`` names a part of the
    file that has no line."""

    file: Path
    line: int
    reason: str
    place: str = ""

    def __str__(self) -> str:
        line = f":{self.line}" if self.line != WHOLE_FILE else ""
        place = f"{self.place}: " if self.place else ""
        return f"{self.file}{line}: {place}{self.reason}"


@dataclass
class _Cause:
    """The first error of a file and reason, and the number of errors."""

    first: FileError
    count: int = 0


@dataclass
class ImportErrors:
    """Collects the errors of one import: the first ones, the number of all, and their causes."""

    errors: list[FileError] = field(default_factory=list)
    error_count: int = 0
    _causes: dict[tuple[Path, str], _Cause] = field(default_factory=dict)

    def add_error(self, error: FileError) -> None:
        self.error_count += 1
        if len(self.errors) < MAX_STORED_ERRORS:
            self.errors.append(error)
        key = error.file, error.reason
        if key in self._causes or len(self._causes) < MAX_STORED_ERRORS:
            self._causes.setdefault(key, _Cause(error)).count += 1

    def format_errors(self) -> list[str]:
        """Format each cause once, with the number of further errors that have it."""
        sentences = []
        for cause in self._causes.values():
            further = f" (and {cause.count - 1:,} more like it)" if cause.count > 1 else ""
            sentences.append(f"{cause.first}{further}")
        unlisted = self.error_count - sum(cause.count for cause in self._causes.values())
        return [*sentences, f"and {format_count(unlisted, 'more error')}."] if unlisted else sentences
