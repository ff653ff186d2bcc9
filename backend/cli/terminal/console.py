"""Prints to standard output and standard error, and converts exceptions to a sentence and an exit code."""

import errno
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec, TypeVar

import typer
from rich.console import Console, ConsoleDimensions
from rich.markup import escape

from backend import errors
from backend.cli.exit_codes import DEPENDENCY_FAILED, INTERRUPTED, WRONG_USAGE
from backend.runtime import distribution
from backend.runtime.redaction import redact


class _Console(Console):
    """Is as wide as the terminal; unlimited for a file or a pipe."""

    @property
    def size(self) -> ConsoleDimensions:
        return super().size if self.file.isatty() else ConsoleDimensions(UNBOUNDED_WIDTH, 25)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size


UNBOUNDED_WIDTH = 1_000_000
out = _Console()
err = _Console(stderr=True)

P = ParamSpec("P")
R = TypeVar("R")
error_describers: list[Callable[[Exception], str | None]] = []
"""Describe errors of libraries that not every program has. :mod:`backend.cli.open_store` adds one."""
DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NOT_WRITABLE_ERRNOS = (errno.EROFS, errno.EACCES, errno.EPERM)


def print_error(sentence: str) -> None:
    """Print an error to standard error, without a line break, which would split paths."""
    line = f"[bold red]{distribution.NAME}:[/] {escape(redact(sentence))}"
    err.print(line, highlight=False, soft_wrap=True)


def fail(sentence: str, code: int) -> NoReturn:
    for line in sentence.splitlines():
        print_error(line)
    raise typer.Exit(code)


def handle_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Decorate a command: convert exceptions to a sentence and an exit code instead of a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except KeyboardInterrupt:
            err.print("\nStopped.")
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            description = _describe(error)
            if description is None:
                raise
            fail(*description)

    return run


def _describe(error: Exception) -> tuple[str, int] | None:
    """Return the sentence and exit code of an expected error; None for a bug."""
    if isinstance(error, errors.ServiceError):
        return error.detail, DEPENDENCY_FAILED if error.status >= 500 else WRONG_USAGE
    if isinstance(error, OSError) and (error.filename or error.errno in DISK_FULL_ERRNOS):
        return _describe_file_error(error), DEPENDENCY_FAILED
    for describe in error_describers:
        sentence = describe(error)
        if sentence is not None:
            return sentence, DEPENDENCY_FAILED
    return (str(error), WRONG_USAGE) if isinstance(error, ValueError) else None


def _describe_file_error(error: OSError) -> str:
    prefix = f"{error.filename}: " if error.filename else ""
    if error.errno in DISK_FULL_ERRNOS:
        hint = "Free some space on that disk."
    elif error.errno in NOT_WRITABLE_ERRNOS:
        hint = "Make it readable and writable for this user, or choose another place."
    else:
        hint = "Check the path."
    return f"{prefix}{error.strerror}. {hint}"
