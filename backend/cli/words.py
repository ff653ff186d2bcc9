"""How a command speaks: its streams, its exit codes, and sentences instead of tracebacks."""

import errno
import os
import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from backend import errors, logs
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.db import Database

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
    err.print(f"[bold red]chainproof:[/] {escape(logs.redact(sentence))}", highlight=False, soft_wrap=True)


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
    from sqlalchemy.exc import DBAPIError  # not at the top: most starts are quicker without it

    if isinstance(error, DBAPIError):
        hint = f" {USABLE_HOME}" if isinstance(error.orig, sqlite3.Error) else ""
        reason = " ".join(str(error.orig).split()).rstrip(".?")
        return f"The data store does not answer: {reason}.{hint}", DEPENDENCY_FAILED
    return (str(error), WRONG_USE) if isinstance(error, ValueError) else None


def settings_with(**given: Any) -> Settings:
    """Settings with the command's options, which child processes see through the environment too."""
    for name, value in given.items():
        if value is not None:
            os.environ[f"CHAINPROOF_{name.upper()}"] = str(value)
    return Settings()


def open_database(settings: Settings | None = None) -> "Database":
    """The store, at the newest schema."""
    from backend import migrations
    from backend.db import Database

    settings = settings or Settings()
    migrations.upgrade(settings.app_database_url)
    return Database(settings.app_database_url)
