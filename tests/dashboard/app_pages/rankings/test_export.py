"""CSV, JSON and Parquet files of the rows on the screen."""

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
    TEXT_FIELDS,
    Export,
    build_csv_file,
    build_json_file,
    build_parquet_file,
)
from dashboard.app_pages.rankings.rows import Row
from dashboard.frame.display_currency import CURRENCY_STYLES, DisplayCurrency

TAKEN_AT = datetime(2026, 5, 18, 12, 0, 5, tzinfo=UTC)
LINK = "http://127.0.0.1:8501/rankings?q=bit"


def row(**fields: Any) -> Row:
    defaults = {
        "id": "bitcoin",
        "symbol": "BTC",
        "name": "Bitcoin",
        "source": "coingecko",
        "last_updated": TAKEN_AT,
    }
    return Row(**{**defaults, **fields})


def read_csv(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def read_parquet(data: bytes) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(data)).to_pylist()
    return rows


amounts = st.none() | st.decimals(
    allow_nan=False, allow_infinity=False, min_value="-1e15", max_value="1e15", places=14
)


@given(st.lists(st.builds(row, price=amounts, market_cap=amounts, pct_24h=amounts), max_size=5))
def test_every_format_contains_the_same_exact_amounts(rows: list[Row]) -> None:
    export = Export(rows, TAKEN_AT, LINK)
    expected = [(entry.price, entry.market_cap, entry.pct_24h) for entry in rows]
    for records in (
        read_csv(build_csv_file(export)),
        json.loads(build_json_file(export))["rows"],
        read_parquet(build_parquet_file(export)),
    ):
        actual = [(r["price_usd"], r["market_cap"], r["pct_change_24h"]) for r in records]
        assert [
            tuple(Decimal(v) if v not in (None, "") else None for v in values) for values in actual
        ] == expected


@pytest.mark.parametrize("price", ["1E-9", "1.223e-09", "1E+16"])
def test_no_amount_is_written_with_an_exponent(price: str) -> None:
    export = Export([row(price=Decimal(price))], TAKEN_AT, LINK)
    assert read_csv(build_csv_file(export))[0]["price_usd"] == f"{Decimal(price):f}"
    assert json.loads(build_json_file(export))["rows"][0]["price_usd"] == f"{Decimal(price):f}"
    assert read_parquet(build_parquet_file(export))[0]["price_usd"] == Decimal(price)


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1+1", "-1", "@SUM(A1)", "\tx", "  =1", "\r=1"])
def test_foreign_text_cannot_run_as_a_formula_in_a_spreadsheet(name: str) -> None:
    (record,) = read_csv(build_csv_file(Export([row(name=name)], TAKEN_AT, LINK)))
    assert record["name"].startswith("'")


@given(st.text())
def test_no_text_field_starts_like_a_formula(text: str) -> None:
    data = build_csv_file(Export([row(name=text, symbol=text)], TAKEN_AT, LINK))
    for record in read_csv(data):
        assert not any(
            record[field].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r")) for field in TEXT_FIELDS
        )


def test_a_negative_amount_stays_a_number() -> None:
    (record,) = read_csv(build_csv_file(Export([row(pct_24h=Decimal("-1.5"))], TAKEN_AT, LINK)))
    assert record["pct_change_24h"] == "-1.5"


def test_every_row_has_its_source_and_time() -> None:
    export = Export([row()], TAKEN_AT, LINK)
    assert read_csv(build_csv_file(export))[0]["as_of"] == "2026-05-18T12:00:05Z"
    assert json.loads(build_json_file(export))["rows"][0]["source"] == "coingecko"
    assert read_parquet(build_parquet_file(export))[0]["as_of"] == TAKEN_AT


def test_sample_and_stale_figures_are_marked_in_every_format() -> None:
    export = Export([row(source="sample:stale")], TAKEN_AT, LINK)
    note = f"{SAMPLE_NOTE} {STALE_NOTE}"
    assert read_csv(build_csv_file(export))[0]["note"] == note
    body = json.loads(build_json_file(export))
    assert body["notes"] == [SAMPLE_NOTE, STALE_NOTE]
    assert body["rows"][0]["note"] == note
    table = pq.read_table(io.BytesIO(build_parquet_file(export)))
    assert table.schema.metadata[b"note"].decode() == note
    assert table.to_pylist()[0]["note"] == note


def test_live_figures_have_no_note() -> None:
    assert read_csv(build_csv_file(Export([row()], TAKEN_AT, LINK)))[0]["note"] == ""


def test_the_file_contains_the_link_and_the_time_of_the_export() -> None:
    body = json.loads(build_json_file(Export([row()], TAKEN_AT, LINK)))
    assert (body["taken_at"], body["link"]) == ("2026-05-18T12:00:05Z", LINK)


def test_an_export_without_rows_has_all_columns() -> None:
    export = Export([], TAKEN_AT, LINK)
    assert build_csv_file(export).decode("utf-8-sig").strip() == ",".join(FIELDS)
    assert pq.read_table(io.BytesIO(build_parquet_file(export))).column_names == list(FIELDS)


BITCOIN_RATE = "0.0000149253731343284"
BITCOIN = DisplayCurrency("BTC", Decimal(BITCOIN_RATE), CURRENCY_STYLES["BTC"], "coingecko:stale", TAKEN_AT)


@given(st.lists(st.builds(row, price=amounts, market_cap=amounts, volume=amounts), min_size=1, max_size=3))
def test_an_export_in_another_currency_has_the_exact_amounts_beside_those_in_us_dollars(
    rows: list[Row],
) -> None:
    export = Export(rows, TAKEN_AT, LINK, BITCOIN)
    for records in (
        read_csv(build_csv_file(export)),
        json.loads(build_json_file(export))["rows"],
        read_parquet(build_parquet_file(export)),
    ):
        for record, entry in zip(records, rows, strict=True):
            for field, usd in (
                ("price_btc", entry.price),
                ("market_cap_btc", entry.market_cap),
                ("volume_24h_btc", entry.volume),
            ):
                amount = None if record[field] in (None, "") else Decimal(record[field])
                assert amount == (None if usd is None else BITCOIN.convert(usd))
            assert record["price_usd"] in (None, "") or Decimal(record["price_usd"]) == entry.price


def test_an_export_in_another_currency_has_its_rate_in_every_row() -> None:
    export = Export([row(price=Decimal(2))], TAKEN_AT, LINK, BITCOIN)
    (record,) = read_csv(build_csv_file(export))
    names = list(record)
    assert names.index("price_btc") == names.index("price_usd") + 1
    assert names[-3:] == ["btc_per_usd", "rate_source", "rate_as_of"]
    rate = (record["btc_per_usd"], record["rate_source"], record["rate_as_of"])
    assert rate == (BITCOIN_RATE, "coingecko:stale", "2026-05-18T12:00:05Z")
    assert json.loads(build_json_file(export))["rows"][0] == record | {
        name: None for name in names if record[name] == "" and name not in ("flags", "note")
    }
    (parquet,) = read_parquet(build_parquet_file(export))
    assert list(parquet) == names
    assert (parquet["btc_per_usd"], parquet["rate_as_of"]) == (Decimal(BITCOIN_RATE), TAKEN_AT)
