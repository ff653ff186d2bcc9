"""Defines ``chainproof topics import``: imports a user's own news topics."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from backend.cli.exit_codes import WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, handle_errors, out
from backend.cli.terminal.import_progress import print_errors, show_progress
from backend.settings import Settings

app = typer.Typer(help="News topics.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Commands on topics; a group even while it holds one of them."""


@app.command("import")
@handle_errors
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="JSON Lines files with one topic per line, in the format of POST /topics."
        ),
    ],
    partial: Annotated[
        bool, typer.Option("--partial", help="Import the valid entries even if others have errors.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import topics. A topic with a known external_id is updated."""
    from backend.articles.rules.active_rules import ActiveRules
    from backend.topics.jsonl_import import import_files

    database, rules = open_database(), ActiveRules(Settings()).current
    with show_progress(files, is_enabled=not as_json) as advance:
        imported = import_files(
            database, rules, files, partial=partial, now=datetime.now(UTC), on_progress=advance
        )
    print_errors(imported)
    if as_json:
        counts = {"added": imported.added, "updated": imported.updated, "mistakes": imported.error_count}
        print(json.dumps(counts))
    elif imported.errors and not partial:
        err.print("Nothing was added. Use --partial to import the valid entries.", highlight=False)
    else:
        out.print(f"{imported.added} added, {imported.updated} updated.", highlight=False)
    if imported.errors:
        raise typer.Exit(WRONG_USAGE)
