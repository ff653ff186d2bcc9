"""Asset icons: validation, caching and missing icons."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette

from dashboard.client import markets
from dashboard.frame import asset_icons
from tests.dashboard.asgi_client import AsgiClient


@pytest.fixture
def requested_ids(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
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


def test_an_icon_is_requested_once_and_is_cacheable(client: AsgiClient, requested_ids: list[str]) -> None:
    for _ in range(3):
        answer = client.get("/assets/bitcoin/icon")
        assert (answer.status_code, answer.content) == (200, b"<svg/>")
    assert requested_ids == ["bitcoin"]
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "max-age" in answer.headers["cache-control"]
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("asset_id", ["unknown", "page", "huge"])
def test_a_missing_or_invalid_image_is_a_404_and_is_not_cached(
    client: AsgiClient, requested_ids: list[str], asset_id: str
) -> None:
    for _ in range(2):
        answer = client.get(f"/assets/{asset_id}/icon")
        assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")
    assert requested_ids == [asset_id] * 2


@pytest.mark.parametrize("asset_id", ["..%2Fkeys", "a" * 200, "-x", "%00"])
def test_an_invalid_asset_id_sends_no_request(
    client: AsgiClient, requested_ids: list[str], asset_id: str
) -> None:
    assert client.get(f"/assets/{asset_id}/icon").status_code == 404
    assert requested_ids == []
