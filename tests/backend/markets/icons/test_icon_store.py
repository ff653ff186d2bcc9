"""Tests icons: generated ones first, the provider's once fetched, validated and stored."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
import structlog

from backend.markets.icons import icon_store
from backend.markets.icons.icon_store import IconStore, image_type
from backend.markets.icons.monogram import render_monogram
from backend.markets.tables import asset_icons
from backend.store.database import Database
from tests.support.apps.market_app import (
    CALM,
    Clock,
    Running,
    build_worker,
    enable_only,
    live_settings,
    run_app,
)
from tests.support.http.asgi import Answer, send
from tests.support.providers.provider_pages import png
from tests.support.providers.provider_server import Behaviour, ProviderServer

ICON = "/assets/bitcoin/icon"
DAY = timedelta(days=1)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        server.pages.now = CALM
        yield server


@pytest.fixture
def running(server: ProviderServer, tmp_path: Path) -> Iterator[Running]:
    """Live mode after one refresh, in which the provider told where its images are."""
    enable_only(tmp_path, ("bitcoin", "ethereum"))
    running = run_app(live_settings(tmp_path, server.url, coinmarketcap_api_key=None), Clock())
    build_worker(running).tick()
    running.poll_changes()
    yield running
    running.close()


def fetch(
    running: Running, server: ProviderServer, *, allowed: bool = True, later: timedelta = timedelta(0)
) -> int:
    """What the images' schedule does, and a look at the store afterwards."""
    allow = (server.url.removeprefix("http://"),) if allowed else ()
    with structlog.testing.capture_logs():
        stored_count = icon_store.fetch_missing_images(running.database, CALM + later, allow=allow)
    running.poll_changes()
    return stored_count


def show(running: Running, path: str = ICON, **headers: str) -> Answer:
    """The icon for a browser, which has no key."""
    return send(running.app, path, headers={name.replace("_", "-"): value for name, value in headers.items()})


def load_failure(database: Database, asset_id: str = "bitcoin") -> str:
    with database.read() as connection:
        query = sa.select(asset_icons.c.failure).where(asset_icons.c.asset_id == asset_id)
        return str(connection.execute(query).scalar_one())


def test_without_an_image_a_monogram_is_served(running: Running) -> None:
    answer = show(running)
    assert answer.status == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.body == render_monogram("bitcoin", "BTC")
    assert answer.headers["cache-control"] == "public, max-age=86400"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_an_image_is_fetched_once_and_stored(running: Running, server: ProviderServer) -> None:
    before = show(running).headers["etag"]
    assert fetch(running, server) == 2
    answer = show(running)
    assert (answer.headers["content-type"], answer.body) == ("image/png", png())
    assert answer.headers["etag"] != before
    assert show(running, if_none_match=answer.headers["etag"]).status == 304
    assert show(running, if_none_match=before).status == 200
    build_worker(running).tick(hours=30)
    assert fetch(running, server, later=timedelta(days=2)) == 0
    assert len(server.seen("/images/bitcoin.png")) == 1
    request = server.seen("/images/bitcoin.png")[0]
    assert "cp-x-api-key" not in request.headers
    assert show(running).body == png()


def test_an_svg_can_be_compressed_but_an_image_is_not(running: Running, server: ProviderServer) -> None:
    drawing = show(running, accept_encoding="gzip")
    assert drawing.text == show(running).body
    fetch(running, server)
    assert "content-encoding" not in show(running, accept_encoding="gzip").headers


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Behaviour(body=b"<html><body>Not here</body></html>", content_type="text/html"), "text/html"),
        (Behaviour(body=b"<html><body>Not here</body></html>", content_type="image/png"), "not a PNG"),
        (Behaviour(body=b"<svg xmlns='http://www.w3.org/2000/svg'/>", content_type="image/svg+xml"), "svg"),
        (Behaviour(body=b"<svg xmlns='http://www.w3.org/2000/svg'/>", content_type="image/png"), "not a PNG"),
        (Behaviour(body=b"", content_type="image/png"), "not a PNG"),
        (
            Behaviour(body=png() + b"\0" * icon_store.MAX_IMAGE_BYTES, content_type="image/png"),
            "262,144 bytes",
        ),
        (Behaviour(status=404, body=b"no", content_type="text/plain"), "404"),
        (Behaviour(drop=True), ""),
    ],
)
def test_an_unsafe_image_is_refused_and_the_monogram_stays(
    running: Running, server: ProviderServer, behaviour: Behaviour, words: str
) -> None:
    server.always("/images/bitcoin.png", behaviour)
    assert fetch(running, server) == 1  # the other one
    assert show(running).body == render_monogram("bitcoin", "BTC")
    assert show(running, "/assets/ethereum/icon").body == png()
    assert words in load_failure(running.database)
    assert load_failure(running.database) not in ("", "None")


def test_a_failed_fetch_is_retried_after_a_day(running: Running, server: ProviderServer) -> None:
    server.once("/images/bitcoin.png", Behaviour(status=404, body=b"no"))
    fetch(running, server)
    assert fetch(running, server, later=timedelta(hours=23)) == 0
    assert fetch(running, server, later=DAY) == 1
    assert show(running).body == png()
    assert load_failure(running.database) == "None"


def test_a_private_address_is_not_fetched_unless_allowed(running: Running, server: ProviderServer) -> None:
    assert fetch(running, server, allowed=False) == 0
    assert server.seen("/images/bitcoin.png") == []
    assert show(running).body == render_monogram("bitcoin", "BTC")
    assert "127.0.0.1" in load_failure(running.database)


def test_a_new_url_is_fetched_at_once_after_the_old_one_failed(
    running: Running, server: ProviderServer
) -> None:
    server.always("/images/bitcoin.png", Behaviour(status=404, body=b"no"))
    fetch(running, server)
    icon_store.store_image_urls(running.database, {"bitcoin": f"{server.url}/images/moved.png"}, CALM)
    assert fetch(running, server) == 1
    assert show(running).body == png()


def test_a_stored_image_is_not_replaced_when_the_url_changes(
    running: Running, server: ProviderServer
) -> None:
    fetch(running, server)
    icon_store.store_image_urls(running.database, {"bitcoin": f"{server.url}/images/moved.png"}, CALM)
    assert fetch(running, server, later=3 * DAY) == 0
    assert show(running).body == png()


def test_images_are_fetched_in_batches(sqlite_database: Database, server: ProviderServer) -> None:
    images = {
        f"asset-{number}": f"{server.url}/images/{number}.png"
        for number in range(icon_store.IMAGES_PER_BATCH + 3)
    }
    icon_store.store_image_urls(sqlite_database, images, CALM)
    allow = (server.url.removeprefix("http://"),)
    assert icon_store.fetch_missing_images(sqlite_database, CALM, allow=allow) == icon_store.IMAGES_PER_BATCH
    assert icon_store.fetch_missing_images(sqlite_database, CALM, allow=allow) == 3
    assert icon_store.fetch_missing_images(sqlite_database, CALM, allow=allow) == 0


def test_a_change_while_an_icon_is_read_is_not_overwritten_by_the_older_one(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    icon_store_of_test = IconStore(sqlite_database, {"bitcoin": "BTC"}, live=True)
    read = icon_store_of_test._load_stored

    def read_then_replace(asset_id: str) -> object:
        found = read(asset_id)
        with sqlite_database.write() as connection:
            connection.execute(
                sa.insert(asset_icons).values(
                    asset_id="bitcoin", url="x", content_type="image/png", body=png(), tried_at=CALM
                )
            )
        icon_store_of_test.clear_cache()
        return found

    with monkeypatch.context() as patched:
        patched.setattr(icon_store_of_test, "_load_stored", read_then_replace)
        icon_store_of_test.icon("bitcoin")
    assert icon_store_of_test.icon("bitcoin").body == png()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0....", "image/jpeg"),
        (b"GIF89a....", "image/gif"),
        (b"GIF87a....", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", None),
        (b"<svg/>", None),
        (b" \x89PNG\r\n\x1a\n", None),
        (b"%PDF-1.7", None),
        (b"", None),
    ],
)
def test_the_media_type_is_detected_from_the_bytes(body: bytes, kind: str | None) -> None:
    assert image_type(body) == kind
