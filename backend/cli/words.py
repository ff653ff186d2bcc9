"""How a command speaks: its streams, its exit codes, and sentences instead of tracebacks."""

import errno
import sys
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from backend import distribution, errors
from backend.redaction import redact

out = Console()
err = Console(stderr=True)

P = ParamSpec("P")
R = TypeVar("R")
FINDINGS, WRONG_USE, DEPENDENCY_FAILED = 1, 2, 3
"""Exit codes beside 0: something was found, the command was used wrongly, something it needs failed."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
USABLE_HOME = "Set CHAINPROOF_HOME to a folder that can be written and has room."


def complain(sentence: str) -> None:
    """Say on standard error what is wrong, and go on. In one line: a path that is cut in two is no path."""
    told = f"[bold red]{distribution.NAME}:[/] {escape(redact(sentence))}"
    err.print(told, highlight=False, soft_wrap=True)


def fail(sentence: str, code: int) -> NoReturn:
    complain(sentence)
    raise typer.Exit(code)


def in_words(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what goes wrong into a sentence and an exit code, never a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except ValidationError as error:
            for fault in error.errors():
                name = "_".join(str(part) for part in fault["loc"]).upper()
                complain(f"setting CHAINPROOF_{name}: {fault['msg']}")
            raise typer.Exit(WRONG_USE) from None
        except Exception as error:
            told = _told(error)
            if told is None:
                raise
            fail(*told)

    return run


def _told(error: Exception) -> tuple[str, int] | None:
    """The sentence and exit code of a fault that can be expected; null for one that is a bug."""
    if isinstance(error, errors.ServiceError):
        return error.detail, DEPENDENCY_FAILED if error.status >= 500 else WRONG_USE
    if isinstance(error, OSError) and (error.filename or error.errno in NO_ROOM):
        where = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{where}. {USABLE_HOME}", DEPENDENCY_FAILED
    told = _store_fault(error)
    return (str(error), WRONG_USE) if told is None and isinstance(error, ValueError) else told


def _store_fault(error: Exception) -> tuple[str, int] | None:
    faults = sys.modules.get("sqlalchemy.exc")  # where nothing loaded it, no store was asked
    if faults is None or not isinstance(error, faults.DBAPIError):
        return None
    import sqlite3

    hint = f" {USABLE_HOME}" if isinstance(error.orig, sqlite3.Error) else ""
    reason = " ".join(str(error.orig).split()).rstrip(".?")
    return f"The data store does not answer: {reason}.{hint}", DEPENDENCY_FAILED
