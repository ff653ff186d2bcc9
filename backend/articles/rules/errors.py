"""Defines the error for invalid rules, with the file and line of each problem."""

from collections.abc import Sequence

from backend.formats.file_errors import FileError
from backend.formats.plurals import format_count

MAX_LISTED_ERRORS = 100
"""Maximum number of errors in a message."""


class InvalidRulesError(ValueError):
    """The rules are invalid. The message lists the errors, one on each line."""

    def __init__(self, errors: Sequence[FileError]) -> None:
        shown = [str(error) for error in errors[:MAX_LISTED_ERRORS]]
        if len(errors) > MAX_LISTED_ERRORS:
            shown.append(f"and {format_count(len(errors) - MAX_LISTED_ERRORS, 'more error')}")
        super().__init__("\n".join(shown))
        self.errors = tuple(errors)
