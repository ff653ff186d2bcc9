"""``chainproof prices``: prices in the terminal."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, in_words
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.markets.latest_prices import Prices

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
    from backend.markets.latest_prices import prices_now

    settings = Settings()
    with err.status("Reading prices…") as status:
        entries = prices_now(settings, open_database(settings), assets or [], limit, refresh, status.update)
    if as_json:
        print(json.dumps(entries.as_json(), indent=2, ensure_ascii=False))
    else:
        print_table(COLUMNS, price_rows(entries))


def price_rows(prices: "Prices") -> list[list[str | Text | None]]:
    """Of each entry: rank, symbol, name, price, changes over 24 hours and 7 days, market cap, source, age."""
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
                _change(figure.pct_change_24h),
                _change(figure.pct_change_7d),
                None if figure.market_cap is None else format_compact_usd(figure.market_cap),
                figure.source,
                None if figure.last_updated is None else format_duration(prices.now - figure.last_updated),
            ]
        )
    return rows


def _change(value: Any) -> Text | None:
    if value is None:
        return None
    colour, sign = ("green", "▲") if value > 0 else ("red", "▼") if value < 0 else ("dim", " ")
    return Text(f"{sign} {abs(value):.2f}", style=colour)
