"""Icons from the dashboard's own address: once from the service, checked, then from memory."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette

from dashboard.client import markets
from dashboard.frame import asset_icons
from tests.dashboard.asgi_client import AsgiClient


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    calls: list[str] = []
    images = {
        "bitcoin": (b"<svg/>", "image/svg+xml; charset=utf-8"),
        "page": (b"<html>", "text/html"),
        "huge": (b"x" * (asset_icons.MAX_ICON_BYTES + 1), "image/png"),
    }

    def icon(asset_id: str) -> tuple[bytes, str] | None:
        calls.append(asset_id)
        return images.get(asset_id)

    monkeypatch.setattr(markets, "fetch_icon", icon)
    asset_icons._icon_cache.clear()
    yield calls
    asset_icons._icon_cache.clear()


@pytest.fixture
def client() -> AsgiClient:
    return AsgiClient(Starlette(routes=list(asset_icons.ROUTES)))


def test_an_icon_is_asked_for_once_and_may_be_cached(client: AsgiClient, asked: list[str]) -> None:
    for _ in range(3):
        answer = client.get("/assets/bitcoin/icon")
        assert (answer.status_code, answer.content) == (200, b"<svg/>")
    assert asked == ["bitcoin"]
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "max-age" in answer.headers["cache-control"]
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("asset_id", ["unknown", "page", "huge"])
def test_what_is_no_image_of_ours_is_not_found_and_asked_for_again(
    client: AsgiClient, asked: list[str], asset_id: str
) -> None:
    for _ in range(2):
        answer = client.get(f"/assets/{asset_id}/icon")
        assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")
    assert asked == [asset_id] * 2


@pytest.mark.parametrize("asset_id", ["..%2Fkeys", "a" * 200, "-x", "%00"])
def test_an_id_that_cannot_be_one_is_not_even_asked_for(
    client: AsgiClient, asked: list[str], asset_id: str
) -> None:
    assert client.get(f"/assets/{asset_id}/icon").status_code == 404
    assert asked == []
