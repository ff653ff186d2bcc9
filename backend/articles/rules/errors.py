"""Mistakes of those who write rules, each with its file and line."""

from collections.abc import Sequence

from backend.formats.file_errors import FileError
from backend.formats.plurals import format_count

MAX_LISTED_ERRORS = 100
"""How many a refusal spells out."""


class InvalidRulesError(ValueError):
    """Rules that cannot be used; the message holds every error found, one a line."""

    def __init__(self, errors: Sequence[FileError]) -> None:
        shown = [str(error) for error in errors[:MAX_LISTED_ERRORS]]
        if len(errors) > MAX_LISTED_ERRORS:
            shown.append(f"and {format_count(len(errors) - MAX_LISTED_ERRORS, 'more error')}")
        super().__init__("\n".join(shown))
        self.errors = tuple(errors)
