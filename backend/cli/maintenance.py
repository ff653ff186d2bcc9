"""Defines ``chainproof migrate`` and ``chainproof doctor``."""

import json
import logging
from typing import Annotated

import typer
from rich.markup import escape

from backend.cli.exit_codes import DEPENDENCY_FAILED
from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, handle_errors, out
from backend.runtime import logs

app = typer.Typer()


@app.command()
@handle_errors
def migrate() -> None:
    """Update the data store to the newest schema. Every start does this too."""
    from backend import migrations

    database = open_database()
    with database.read() as connection:
        revision = migrations.find_revision(connection)
    database.dispose()
    if migrations.is_newer(revision):
        newest = migrations.find_newest_revision()
        out.print(
            f"The store has schema {revision}, newer than {newest} of this version. It was left as it is."
        )
        return
    out.print("The store is at the newest schema.")


@app.command()
@handle_errors
def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check settings, data store, providers and keys, and explain problems."""
    from backend.doctor.runner import run_checks
    from backend.settings.inspection import load_with_defaults

    settings, setting_errors = load_with_defaults()
    logs.configure(settings.log_format, settings.log_level)
    logging.disable(logging.ERROR)  # the findings already describe these errors
    try:
        with err.status("Checking…"):
            findings = run_checks(settings, setting_errors)
    finally:
        logging.disable(logging.NOTSET)
    if as_json:
        print(json.dumps([finding.as_dict() for finding in findings], indent=2))
    else:
        for finding in findings:
            mark = {"ok": "[green]✓[/]", "note": "[yellow]–[/]", "fault": "[red]✗[/]"}[finding.state]
            line = f" {mark} [bold]{escape(finding.subject)}[/]: {escape(finding.sentence)}"
            out.print(line, highlight=False, soft_wrap=True)
    if any(finding.state == "fault" for finding in findings):
        raise typer.Exit(DEPENDENCY_FAILED)
