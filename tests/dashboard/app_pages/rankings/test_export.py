"""Files of what is on the screen."""

import csv
import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.app_pages.rankings.export import (
    FIELDS,
    SAMPLE_NOTE,
    STALE_NOTE,
    TEXT,
    Export,
    to_csv,
    to_json,
    to_parquet,
)
from dashboard.app_pages.rankings.rows import Row

WHEN = datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)
LINK = "http://127.0.0.1:8501/rankings?q=bit"


def row(**fields: Any) -> Row:
    plain = {"id": "bitcoin", "symbol": "BTC", "name": "Bitcoin", "source": "coingecko", "last_updated": WHEN}
    return Row(**{**plain, **fields})


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def read_parquet(data: bytes) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(data)).to_pylist()
    return rows


amounts = st.none() | st.decimals(
    allow_nan=False, allow_infinity=False, min_value="-1e15", max_value="1e15", places=14
)


@given(st.lists(st.builds(row, price=amounts, market_cap=amounts, pct_24h=amounts), max_size=5))
def test_every_format_holds_the_same_exact_amounts(some: list[Row]) -> None:
    export = Export(some, WHEN, LINK)
    wanted = [(entry.price, entry.market_cap, entry.pct_24h) for entry in some]
    for records in (
        read_csv(to_csv(export)),
        json.loads(to_json(export))["rows"],
        read_parquet(to_parquet(export)),
    ):
        got = [(r["price_usd"], r["market_cap"], r["pct_change_24h"]) for r in records]
        assert [
            tuple(Decimal(v) if v not in (None, "") else None for v in values) for values in got
        ] == wanted


@pytest.mark.parametrize("price", ["1E-9", "1.223e-09", "1E+16"])
def test_no_amount_is_written_with_an_exponent(price: str) -> None:
    export = Export([row(price=Decimal(price))], WHEN, LINK)
    assert read_csv(to_csv(export))[0]["price_usd"] == f"{Decimal(price):f}"
    assert json.loads(to_json(export))["rows"][0]["price_usd"] == f"{Decimal(price):f}"
    assert read_parquet(to_parquet(export))[0]["price_usd"] == Decimal(price)


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1+1", "-1", "@SUM(A1)", "\tx", "  =1", "\r=1"])
def test_text_from_outside_can_not_run_in_a_spreadsheet(name: str) -> None:
    (record,) = read_csv(to_csv(Export([row(name=name)], WHEN, LINK)))
    assert record["name"].startswith("'")


@given(st.text())
def test_no_text_field_begins_like_a_formula(text: str) -> None:
    data = to_csv(Export([row(name=text, symbol=text)], WHEN, LINK))
    for record in read_csv(data):
        assert not any(
            record[field].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r")) for field in TEXT
        )


def test_a_negative_amount_stays_a_number() -> None:
    (record,) = read_csv(to_csv(Export([row(pct_24h=Decimal("-1.5"))], WHEN, LINK)))
    assert record["pct_change_24h"] == "-1.5"


def test_every_row_says_where_and_when_it_is_from() -> None:
    export = Export([row()], WHEN, LINK)
    assert read_csv(to_csv(export))[0]["as_of"] == "2026-05-18T12:00:05Z"
    assert json.loads(to_json(export))["rows"][0]["source"] == "coingecko"
    assert read_parquet(to_parquet(export))[0]["as_of"] == WHEN


def test_sample_and_stale_figures_are_called_so_in_every_format() -> None:
    export = Export([row(source="sample:stale")], WHEN, LINK)
    note = f"{SAMPLE_NOTE} {STALE_NOTE}"
    assert read_csv(to_csv(export))[0]["note"] == note
    body = json.loads(to_json(export))
    assert body["notes"] == [SAMPLE_NOTE, STALE_NOTE]
    assert body["rows"][0]["note"] == note
    table = pq.read_table(io.BytesIO(to_parquet(export)))
    assert table.schema.metadata[b"note"].decode() == note
    assert table.to_pylist()[0]["note"] == note


def test_live_figures_carry_no_note() -> None:
    assert read_csv(to_csv(Export([row()], WHEN, LINK)))[0]["note"] == ""


def test_the_link_and_the_moment_travel_along() -> None:
    body = json.loads(to_json(Export([row()], WHEN, LINK)))
    assert (body["taken_at"], body["link"]) == ("2026-05-18T12:00:05Z", LINK)


def test_an_empty_screen_gives_a_file_with_its_columns() -> None:
    export = Export([], WHEN, LINK)
    assert to_csv(export).decode("utf-8-sig").strip() == ",".join(FIELDS)
    assert pq.read_table(io.BytesIO(to_parquet(export))).column_names == list(FIELDS)
