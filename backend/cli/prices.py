"""Defines ``chainproof prices``: prints the latest prices."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, handle_errors
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.markets.latest_prices import LatestPrices

app = typer.Typer(help="Prices.", no_args_is_help=True)
COLUMNS = (
    Column("#", "number", is_optional=True),
    Column("asset", "fixed"),
    Column("name", is_optional=True),
    Column("price (USD)", "number"),
    Column("24h %", "number"),
    Column("7d %", "number", is_optional=True),
    Column("market cap", "number", is_optional=True),
    Column("source"),
    Column("age", "number"),
)


@app.callback()
def _group() -> None:
    """Prices."""


@app.command("show")
@handle_errors
def show_prices(
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
    from backend.markets.latest_prices import load_latest_prices

    settings = Settings()
    with err.status("Reading prices…") as status:
        entries = load_latest_prices(
            settings, open_database(settings), assets or [], limit, refresh, status.update
        )
    if as_json:
        print(json.dumps(entries.as_json(), indent=2, ensure_ascii=False))
    else:
        print_table(COLUMNS, build_rows(entries))


def build_rows(prices: "LatestPrices") -> list[list[str | Text | None]]:
    """Build a row for each asset: rank, symbol, name, price, changes in 24 h and 7 days, cap, source, age."""
    from backend.markets.numbers import format_compact_usd, format_plain
    from backend.markets.reasons import format_duration

    rows: list[list[str | Text | None]] = []
    for entry in prices.entries:
        figure = entry.figure
        rows.append(
            [
                None if figure.market_cap_rank is None else str(figure.market_cap_rank),
                entry.asset.symbol,
                entry.asset.name,
                None if figure.price is None else format_plain(figure.price),
                _format_change(figure.pct_change_24h),
                _format_change(figure.pct_change_7d),
                None if figure.market_cap is None else format_compact_usd(figure.market_cap),
                figure.source,
                None if figure.last_updated is None else format_duration(prices.now - figure.last_updated),
            ]
        )
    return rows


def _format_change(value: Any) -> Text | None:
    if value is None:
        return None
    colour, sign = ("green", "▲") if value > 0 else ("red", "▼") if value < 0 else ("dim", " ")
    return Text(f"{sign} {abs(value):.2f}", style=colour)
