"""``chainproof prices``: prices in the terminal."""

import json
from typing import Annotated

import typer

from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, in_words
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

app = typer.Typer(help="Prices.", no_args_is_help=True)
COLUMNS = (
    Column("#", "number", spare=True),
    Column("asset", "fixed"),
    Column("name", spare=True),
    Column("price (USD)", "number"),
    Column("24h %", "number"),
    Column("7d %", "number", spare=True),
    Column("market cap", "number", spare=True),
    Column("source"),
    Column("age", "number"),
)


@app.callback()
def _group() -> None:
    """Prices."""


@app.command("show")
@in_words
def show(
    assets: Annotated[
        list[str] | None, typer.Argument(help="Ids or symbols. Shows the largest assets by default.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number to show.")] = 20,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch new prices from the providers first.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the latest prices with their source and age."""
    from backend.markets.latest_prices import price_rows, prices_now

    settings = Settings()
    with err.status("Reading prices…") as status:
        entries = prices_now(settings, open_database(settings), assets or [], limit, refresh, status.update)
    if as_json:
        print(json.dumps(entries.as_json(), indent=2, ensure_ascii=False))
    else:
        print_table(COLUMNS, price_rows(entries))
