"""Looking after an installation: its schema, and what is wrong with it."""

import json
from typing import Annotated

import typer

from backend.cli.store import open_database
from backend.cli.words import DEPENDENCY_FAILED, err, in_words, out
from backend.settings import Settings

app = typer.Typer()


@app.command()
@in_words
def migrate() -> None:
    """Update the data store to the newest schema. Every start does this too."""
    open_database().dispose()
    out.print("The store is at the newest schema.")


@app.command()
@in_words
def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check settings, data store, providers and keys, and explain problems."""
    from backend.doctor import examine

    with err.status("Checking…"):
        findings = examine(Settings())
    if as_json:
        print(json.dumps([finding.as_dict() for finding in findings], indent=2))
    else:
        for finding in findings:
            mark = {"ok": "[green]✓[/]", "note": "[yellow]–[/]", "fault": "[red]✗[/]"}[finding.state]
            out.print(f" {mark} [bold]{finding.subject}[/]: {finding.sentence}", highlight=False)
    if any(finding.state == "fault" for finding in findings):
        raise typer.Exit(DEPENDENCY_FAILED)
