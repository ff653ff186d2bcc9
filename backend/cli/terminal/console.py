"""Prints to standard output and standard error, and turns exceptions into a sentence and an exit code."""

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
    """As wide as the terminal; without bounds where a file or a pipe takes in what is printed."""

    @property
    def size(self) -> ConsoleDimensions:
        return super().size if self.file.isatty() else ConsoleDimensions(UNBOUNDED, 25)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size


UNBOUNDED = 1_000_000
out = _Console()
err = _Console(stderr=True)

P = ParamSpec("P")
R = TypeVar("R")
fault_describers: list[Callable[[Exception], str | None]] = []
"""Describe errors of libraries that not every program has. :mod:`backend.cli.open_store` adds one."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)


def complain(sentence: str) -> None:
    """Say on standard error what is wrong, and go on. In one line: a path that is cut in two is no path."""
    told = f"[bold red]{distribution.NAME}:[/] {escape(redact(sentence))}"
    err.print(told, highlight=False, soft_wrap=True)


def fail(sentence: str, code: int) -> NoReturn:
    for line in sentence.splitlines():
        complain(line)
    raise typer.Exit(code)


def in_words(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what goes wrong into a sentence and an exit code, never a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except KeyboardInterrupt:
            err.print("\nStopped.")
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            told = _told(error)
            if told is None:
                raise
            fail(*told)

    return run


def _told(error: Exception) -> tuple[str, int] | None:
    """The sentence and exit code of a fault that can be expected; null for one that is a bug."""
    if isinstance(error, errors.ServiceError):
        return error.detail, DEPENDENCY_FAILED if error.status >= 500 else WRONG_USAGE
    if isinstance(error, OSError) and (error.filename or error.errno in NO_ROOM):
        return _file_fault(error), DEPENDENCY_FAILED
    for describe in fault_describers:
        sentence = describe(error)
        if sentence is not None:
            return sentence, DEPENDENCY_FAILED
    return (str(error), WRONG_USAGE) if isinstance(error, ValueError) else None


def _file_fault(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in NO_ROOM:
        hint = "Free some space on that disk."
    elif error.errno in NOT_WRITABLE:
        hint = "Make it readable and writable for this user, or choose another place."
    else:
        hint = "Check the path."
    return f"{where}{error.strerror}. {hint}"
