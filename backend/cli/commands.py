"""Assembles the commands of ``chainproof``. Each command only calls a service of its domain."""

from typing import Annotated

import typer

from backend.cli import (
    apps,
    backups,
    documents,
    entities,
    keys,
    maintenance,
    mcp,
    prices,
    profiles,
    rules,
    runs,
    scan,
    serve,
    sources,
    topics,
    topics_fetch,
    users,
)
from backend.cli.version import print_version
from backend.runtime import logs

app = typer.Typer(
    name="chainproof",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for commands in (serve, maintenance, mcp, backups, scan):
    app.add_typer(commands.app)
app.add_typer(apps.app, name="apps")
app.add_typer(documents.app, name="documents")
app.add_typer(entities.app, name="entities")
app.add_typer(keys.app, name="keys")
app.add_typer(prices.app, name="prices")
app.add_typer(profiles.app, name="profiles")
app.add_typer(rules.app, name="rules")
app.add_typer(runs.app, name="runs")
app.add_typer(sources.app, name="sources")
topics.app.command("fetch")(topics_fetch.app)
app.add_typer(topics.app, name="topics")
app.add_typer(users.app, name="users")


def _print_version(is_requested: bool) -> None:
    if is_requested:
        print_version()
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Crypto markets, topics, article correction and evaluation timelines."""


def run() -> None:
    """Run the command that the arguments name. Only long-running programs log more than errors."""
    logs.report_errors_only()
    app()
