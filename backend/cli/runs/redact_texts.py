"""Defines ``chainproof runs redact``: removes stored questions, answers and graders' words."""

import re
from collections.abc import Sequence
from typing import Annotated

import typer

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import fail, handle_errors, out
from backend.formats.plurals import format_count
from backend.settings import Settings


@handle_errors
def redact(
    profiles: Annotated[list[str], typer.Argument(metavar="PROFILE…", help="Profiles of the runs.")],
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern", metavar="PATTERN", help="Remove what this regular expression matches. Repeatable."
        ),
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the texts as a whole.")] = False,
) -> None:
    """Remove questions, answers and graders' words that an import stored. Scores are kept."""
    from backend.timelines import text_store

    if delete == bool(pattern):
        fail("Use either --pattern PATTERN or --delete.", WRONG_USAGE)
    patterns = compile_patterns(pattern or [])
    database = open_database(Settings())
    try:
        if delete:
            changed = text_store.delete_texts(database, "own", profiles)
        else:
            changed = text_store.redact_texts(database, "own", profiles, patterns)
    finally:
        database.dispose()
    verb = "deleted" if delete else "redacted"
    out.print(f"Texts of {format_count(changed, 'run')} {verb}.", highlight=False)


def compile_patterns(texts: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Compile regular expressions; ends the program for a wrong one, or for one that matches nothing."""
    patterns = []
    for text in texts:
        try:
            pattern = re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            fail(f"The regular expression {text[:100]!r} is wrong: {error}.", WRONG_USAGE)
        if pattern.search(""):
            fail(f"The regular expression {text[:100]!r} also matches an empty text.", WRONG_USAGE)
        patterns.append(pattern)
    return tuple(patterns)
