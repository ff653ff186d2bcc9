"""``chainproof topics``: news topics of one's own."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from backend.cli.words import WRONG_USE, complain, err, in_words, open_database, out

app = typer.Typer(help="News topics.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Commands on topics; a group even while it holds one of them."""


@app.command("import")
@in_words
def import_(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="JSON Lines: one topic a line, as POST /topics.")
    ],
    partial: Annotated[
        bool, typer.Option("--partial", help="Keep what is right where something is wrong.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Add topics, each known by its external_id: importing one again brings it up to date."""
    from backend.topics.importing import import_files

    with _progress(files, shown=not as_json) as advance:
        imported = import_files(
            open_database(), files, partial=partial, now=datetime.now(UTC), advance=advance
        )
    for mistake in imported.mistakes:
        complain(str(mistake))
    left = imported.mistakes_in_all - len(imported.mistakes)
    if left:
        complain(f"and {left} more mistakes.")
    if as_json:
        told = {"added": imported.added, "updated": imported.updated, "mistakes": imported.mistakes_in_all}
        print(json.dumps(told))
    elif imported.mistakes and not partial:
        err.print("Nothing was added. --partial keeps what is right.", highlight=False)
    else:
        out.print(
            f"{imported.added} added, {imported.updated} known and brought up to date.", highlight=False
        )
    if imported.mistakes:
        raise typer.Exit(WRONG_USE)


@contextmanager
def _progress(files: Sequence[Path], *, shown: bool) -> Iterator[Callable[[Path, int], None]]:
    """A bar on standard error over the bytes to store, where somebody is watching."""
    if not (shown and sys.stderr.isatty()):
        yield lambda _path, _bytes: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    total = sum(path.stat().st_size for path in files if path.is_file()) or None
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("Importing", total=total)
        yield lambda path, size: bar.update(task, advance=size, description=escape(path.name))
