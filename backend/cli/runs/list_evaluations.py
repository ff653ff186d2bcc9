"""Defines ``chainproof runs evaluations``: lists evaluations and what changed from one to the next."""

import json
from typing import Annotated

import typer

from backend.cli.open_store import open_database
from backend.cli.terminal.console import handle_errors
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings


@handle_errors
def list_evaluations(
    profiles: Annotated[list[str], typer.Argument(metavar="PROFILE…", help="Profiles to list.")],
    suite: Annotated[str | None, typer.Option(help="Only this suite.")] = None,
    revision: Annotated[str | None, typer.Option(help="Only this revision.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1024, help="Maximum number of evaluations.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List evaluations, the newest first, with what changed since the one before."""
    from backend.timelines.evaluations.listing import EvaluationFilter, build_rows
    from backend.timelines.stored_columns import read_timelines

    settings = Settings()
    database = open_database(settings)
    try:
        timelines = read_timelines(settings, database)
        names = tuple(dict.fromkeys(profiles))
        rows = build_rows(database, timelines, EvaluationFilter(names, suite, revision, limit))
    finally:
        database.dispose()
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    columns = (
        Column("evaluation"),
        Column("began", "fixed"),
        Column("profile"),
        Column("suite", is_optional=True),
        Column("revision", is_optional=True),
        Column("cases", "number"),
        Column("mean", "number"),
        Column("since the one before"),
    )
    print_table(
        columns,
        (
            [
                row["evaluation_id"],
                row["started_at"],
                row["profile"],
                row["suite"],
                row["revision"],
                f"{row['cases']:,}",
                f"{100 * row['mean']:.1f}",
                row["text"],
            ]
            for row in rows
        ),
    )
