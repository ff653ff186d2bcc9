"""The ``chainproof`` program. Thin: each command calls a domain's service.

Exit codes: 0 done, 1 findings, 2 wrong use, 3 a dependency failed.
"""

import os
import sys

import typer

from backend import heaps
from backend.cli import (
    apps,
    backups,
    documents,
    entities,
    keys,
    prices,
    profiles,
    programs,
    rules,
    runs,
    scan,
    sources,
    topics,
    topics_fetch,
    upkeep,
    users,
)

app = typer.Typer(
    name="chainproof",
    help="Crypto markets, topics, article correction and evaluation timelines.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for commands in (programs, upkeep, backups, scan):
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


def main() -> None:
    # As numpy is imported, its algebra would start a thread for each core, which is a tenth of a program's
    # start; what is added up here is small, and threads of requests and jobs are there already.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    heaps.share()
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
