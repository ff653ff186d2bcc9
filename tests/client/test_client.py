"""The Python client: exact decimals, aware times, ids as index, and errors in the service's words."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

import chainproof

RANKED = (
    '[{"id":"bitcoin","symbol":"BTC","name":"Bitcoin","icon_url":"/i","price_usd":"0.00000001234567890123",'
    '"market_cap":1000000000000.123456789012,"market_cap_rank":1,"pct_change_24h":null,'
    '"candles_7d":[],"candles_24h":[],"last_updated":"2026-05-18T12:49:21Z"}]'
)
CANDLES = (
    '{"id":"bitcoin","span":"24h","interval_seconds":1800,"basis":"polls","source":"sample","last_updated":null,'
    '"candles":[[1779105600000,1.10000000000000000001,2,1,1.5,null]]}'
)


def answering(answer: Callable[[httpx.Request], httpx.Response] | str, **options: Any) -> chainproof.Client:
    """A client whose service gives this answer."""

    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text=answer) if isinstance(answer, str) else answer(request)

    return chainproof.Client("http://service", "a-key", transport=httpx.MockTransport(handle), **options)


def test_figures_keep_every_digit_and_are_indexed_by_asset() -> None:
    unknown = RANKED.replace('"bitcoin"', '"new"').replace('"0.00000001234567890123"', "null")
    unknown = unknown.replace("1000000000000.123456789012", "12345678901234567890")
    found = answering(f"{RANKED[:-1]},{unknown[1:]}").rankings()
    assert found.loc["new", "price_usd"] is None
    assert found.loc["new", "market_cap"] == Decimal("12345678901234567890")
    row = found.loc["bitcoin"]
    assert row["price_usd"] == Decimal("0.00000001234567890123")
    assert row["market_cap"] == Decimal("1000000000000.123456789012")
    assert row["pct_change_24h"] is None
    assert row["last_updated"] == pd.Timestamp("2026-05-18T12:49:21", tz="UTC")


def test_candles_are_exact_and_opened_at_an_aware_time() -> None:
    candles = answering(CANDLES).candles("bitcoin", "24h")
    assert candles.attrs["source"] == "sample"
    assert candles.index[0] == pd.Timestamp("2026-05-18T12:00:00", tz="UTC")
    first = candles.iloc[0]
    assert list(first) == [Decimal("1.10000000000000000001"), 2, 1, Decimal("1.5"), None]
    assert all(isinstance(price, Decimal) for price in first.iloc[:4])


def test_past_totals_are_exact_with_their_source_and_an_unknown_figure_is_null() -> None:
    body = (
        '{"span":"7d","mode":"live","source":"coingecko","history_since":"2026-05-01T00:00:09Z","points":['
        '{"at":"2026-05-18T12:00:00.250Z","market_cap":"2693886540498.12345678901","volume_24h":null,'
        '"btc_market_cap_percentage":"57.9539332566265","eth_market_cap_percentage":"9.6"}]}'
    )
    totals = answering(body).totals()
    assert totals.attrs["source"] == "coingecko"
    (row,) = totals.itertuples()
    assert row.Index == pd.Timestamp("2026-05-18T12:00:00.250", tz="UTC")
    assert (row.market_cap, row.volume_24h) == (Decimal("2693886540498.12345678901"), None)
    assert row.btc_market_cap_percentage == Decimal("57.9539332566265")
    empty = answering('{"mode":"sample","source":null,"history_since":null,"points":[]}').totals("30d")
    assert len(empty) == 0


def test_rates_are_exact_and_indexed_by_currency() -> None:
    euro = '{"rate":"0.850000000000001","source":"coingecko","last_updated":"2026-05-18T12:00:00Z"}'
    won = '{"rate":null,"source":null,"last_updated":null}'
    rates = answering(f'{{"base":"USD","rates":{{"EUR":{euro},"KRW":{won}}}}}').rates()
    assert rates.loc["EUR", "rate"] == Decimal("0.850000000000001")
    assert rates.loc["EUR", "last_updated"] == pd.Timestamp("2026-05-18T12:00:00", tz="UTC")
    assert rates.loc["KRW", "rate"] is None


def test_an_empty_answer_is_an_empty_frame() -> None:
    assert answering("[]").rankings().empty
    assert answering('{"code":0,"message":"ok","data":[],"total":0}').topics().empty


def test_topics_are_read_page_by_page_up_to_the_limit() -> None:
    pages = []

    def answer(request: httpx.Request) -> httpx.Response:
        page = int(request.url.params["page"])
        pages.append(page)
        rows = [
            {"id": page * 1000 + row, "published_at": "2026-05-18T12:00:00.5Z", "title": "A"}
            for row in range(100)
        ]
        return httpx.Response(200, json={"code": 0, "message": "ok", "data": rows, "total": 250})

    found = answering(answer).topics(limit=120)
    assert (len(found), found.index.is_unique, found.attrs["total"], pages) == (120, True, 250, [1, 2])
    assert str(found["published_at"].dt.tz) == "UTC"


def test_media_of_all_kinds_name_their_outlet() -> None:
    body = {
        "primary_sources": [{"id": 1, "url": "https://www.sec.gov/a", "title": "A", "published_at": None}],
        "articles": [{"id": 2, "entry_url": "https://news.example/b", "title": "B", "published_at": None}],
        "tweets": [],
    }
    found = answering(lambda _: httpx.Response(200, json={"code": 0, "data": body})).media(7)
    assert dict(found["outlet"]) == {1: "sec.gov", 2: "news.example"}
    assert list(found["kind"]) == ["primary_source", "article"]


@pytest.mark.parametrize(
    "body", [{"detail": "No such asset.", "code": "not_found"}, {"message": "No such asset.", "code": 404}]
)
def test_a_refusal_has_the_words_of_the_service(body: dict[str, Any]) -> None:
    client = answering(lambda _: httpx.Response(404, json=body))
    with pytest.raises(
        chainproof.ServiceError, match=r"404 at /assets/a/b/candles: No such asset\."
    ) as error:
        client.candles("a/b")
    assert error.value.status == 404


def test_a_service_that_is_down_is_an_error_that_says_what_to_do() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(chainproof.ServiceError, match="chainproof up"):
        answering(refuse).prices()


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        answering("{}").topics(published_after=datetime(2026, 1, 1))  # noqa: DTZ001
    answering('{"data":[],"total":0}').topics(published_after=datetime(2026, 1, 1, tzinfo=UTC))


def test_the_local_key_goes_only_to_the_service_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    monkeypatch.delenv("CHAINPROOF_API_KEY", raising=False)
    (tmp_path / "local.key").write_text("the-local-key\n")
    sent = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers.get("CP-X-API-KEY"))
        return httpx.Response(200, text="[]")

    transport = httpx.MockTransport(answer)
    for client in (
        chainproof.Client(transport=transport),
        chainproof.Client("http://x", transport=transport),
    ):
        with client:
            client.rankings()
    assert sent == ["the-local-key", None]
