"""Defines ``chainproof runs list``: lists run counts of profiles, or the newest runs of one profile."""

import json
from typing import Annotated, Any

import typer

from backend.cli.open_store import open_database
from backend.cli.terminal.console import handle_errors
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings


@handle_errors
def list_runs(
    profile: Annotated[
        str | None, typer.Argument(help="Profile to list the runs of. By default all profiles with counts.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1024, help="Maximum number of runs.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the profiles with run counts, or the newest runs of one profile."""
    from backend.timelines import run_listing

    settings = Settings()
    database = open_database(settings)
    try:
        if profile is not None:
            _print_runs(run_listing.newest_runs(settings, database, profile, limit=limit), as_json=as_json)
            return
        counts = run_listing.counted(settings, database)
    finally:
        database.dispose()
    if as_json:
        print(
            json.dumps([profile_counts._asdict() for profile_counts in counts], indent=2, ensure_ascii=False)
        )
        return
    columns = (
        Column("profile"),
        Column("runs", "number"),
        Column("newest run", "fixed"),
        Column("data", "fixed", is_optional=True),
    )
    rows = (
        [
            profile_counts.profile,
            f"{profile_counts.runs:,}",
            profile_counts.newest,
            "sample" if profile_counts.realm == "sample" else "your own",
        ]
        for profile_counts in counts
    )
    print_table(columns, rows)


def _print_runs(entries: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(entries, indent=2, ensure_ascii=False))
        return
    columns = (
        Column("run"),
        Column("began", "fixed"),
        Column("case"),
        Column("score", "number"),
        Column("of", "number"),
        Column("success", "fixed"),
    )
    rows = (
        [
            entry["run_id"],
            entry["timestamp"],
            entry["case_id"],
            f"{entry['total_score']:g}",
            f"{entry['max_score']:g}",
            "yes" if entry["success"] else "no",
        ]
        for entry in entries
    )
    print_table(columns, rows)
