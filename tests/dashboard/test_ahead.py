"""Asking ahead while a button is still down: begun at once, for what can be an asset alone."""

import pytest
from starlette.applications import Starlette

from dashboard import ahead
from dashboard.client import api
from tests.dashboard.asgi_client import AsgiClient


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(api, "ahead", lambda call: call())
    for name in ("candles", "quotes", "asset"):
        monkeypatch.setattr(api, name, lambda *given, name=name: calls.append((name, *given)))
    return calls


@pytest.fixture
def client() -> AsgiClient:
    return AsgiClient(Starlette(routes=list(ahead.ROUTES)))


def test_all_that_a_coins_panel_needs_is_asked_for(client: AsgiClient, asked: list[tuple[str, ...]]) -> None:
    answer = client.get("/assets/bitcoin/ahead?span=7d")
    assert (answer.status_code, answer.content, answer.headers["cache-control"]) == (204, b"", "no-store")
    assert asked == [("candles", "bitcoin", "7d"), ("quotes", "bitcoin"), ("asset", "bitcoin")]


@pytest.mark.parametrize("query", ["", "?span=", "?span=1y"])
def test_a_span_that_is_none_counts_as_the_first(
    client: AsgiClient, asked: list[tuple[str, ...]], query: str
) -> None:
    client.get(f"/assets/bitcoin/ahead{query}")
    assert asked[0] == ("candles", "bitcoin", "24h")


@pytest.mark.parametrize("asset_id", ["..%2Fkeys", "a" * 200, "-x", "%00"])
def test_an_id_that_cannot_be_one_is_not_asked_for(
    client: AsgiClient, asked: list[tuple[str, ...]], asset_id: str
) -> None:
    assert client.get(f"/assets/{asset_id}/ahead").status_code == 404
    assert asked == []
