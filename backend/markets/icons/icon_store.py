"""Stores and serves asset icons: the provider's image, fetched once, else a generated monogram."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from backend import errors
from backend.http.prepared_responses import Prepared
from backend.markets.icons.monogram import render_monogram
from backend.markets.tables import asset_icons
from backend.store.database import Database, bump, upsert
from backend.upstream import UpstreamFailure, guarded_fetch

log = structlog.get_logger(__name__)

CHANGE_TOPIC = "asset_icons"
MAX_IMAGE_BYTES = 256 * 1024
IMAGES_PER_BATCH = 12
"""Images fetched per run: a first start with 250 assets takes minutes, without a burst of requests."""
RETRY_INTERVAL = timedelta(days=1)

SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
"""First bytes of the accepted file types. SVG is not accepted, because it can contain script."""

SECURITY_HEADERS = (
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox"),
    (b"cross-origin-resource-policy", b"cross-origin"),
)


class IconStore:
    """The icons that this process serves, each built once."""

    def __init__(self, database: Database, symbols: dict[str, str], *, live: bool) -> None:
        """``symbols``: symbols of all configured assets by id. Without ``live``, all icons are monograms."""
        self._database = database
        self._live = live
        self._symbols = symbols
        self._responses: dict[str, Prepared] = {}

    def clear_cache(self) -> None:
        """Clear the cache after images changed in the store."""
        self._responses = {}

    def icon(self, asset_id: str) -> Prepared:
        symbol = self._symbols.get(asset_id)
        if symbol is None:
            raise errors.NotFound(
                f"No configured asset has the id {asset_id[:80]!r}. GET /assets lists them."
            )
        cache = self._responses  # read before the store, so that clear_cache() drops an image read earlier
        response = cache.get(asset_id)
        if response is None:
            stored = self._load_stored(asset_id) if self._live else None
            response = cache[asset_id] = stored or _build_monogram(asset_id, symbol)
        return response

    def _load_stored(self, asset_id: str) -> Prepared | None:
        condition = sa.and_(asset_icons.c.asset_id == asset_id, asset_icons.c.body.is_not(None))
        with self._database.read() as connection:
            row = connection.execute(sa.select(asset_icons).where(condition)).one_or_none()
        return None if row is None else _build_response(row.body, row.content_type)


def _build_monogram(asset_id: str, symbol: str) -> Prepared:
    return _build_response(render_monogram(asset_id, symbol), "image/svg+xml")


def _build_response(body: bytes, content_type: str) -> Prepared:
    response = Prepared(
        body, content_type=content_type, cache_control="public, max-age=86400", extra=SECURITY_HEADERS
    )
    if content_type == "image/svg+xml":  # the others are compressed already
        response.compress()
    return response


def image_type(body: bytes) -> str | None:
    """Return the media type that the first bytes show, if it is safe to serve."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in SIGNATURES.items() if body.startswith(signature)), None)


URL_COLUMNS = (asset_icons.c.asset_id, asset_icons.c.url, asset_icons.c.body.is_not(None).label("is_stored"))


def store_image_urls(database: Database, images: Mapping[str, str], now: datetime) -> None:
    """Store the image URLs that providers give. A new URL is fetched in the next run.

    A stored image stays, even if the provider's URL changes.
    """
    with database.read() as connection:
        cache = {row.asset_id: row for row in connection.execute(sa.select(*URL_COLUMNS))}
    rows = [
        {"asset_id": asset_id, "url": url, "tried_at": now - RETRY_INTERVAL, "failure": None}
        for asset_id, url in images.items()
        if asset_id not in cache or (cache[asset_id].url != url and not cache[asset_id].is_stored)
    ]
    if rows:
        with database.write() as connection:
            upsert(connection, asset_icons, rows)


def fetch_missing_images(database: Database, now: datetime, *, allow: Sequence[str] = ()) -> int:
    """Fetch a batch of missing images and return the number stored. A failed fetch is retried after a day."""
    with database.read() as connection:
        due = connection.execute(
            sa.select(asset_icons.c.asset_id, asset_icons.c.url)
            .where(asset_icons.c.body.is_(None), asset_icons.c.tried_at <= now - RETRY_INTERVAL)
            .order_by(asset_icons.c.tried_at, asset_icons.c.asset_id)
            .limit(IMAGES_PER_BATCH)
        ).all()
    fetched = [(row.asset_id, *_fetch(row.url, allow)) for row in due]
    if not fetched:
        return 0
    with database.write() as connection:
        for asset_id, body, kind, failure in fetched:
            connection.execute(
                sa.update(asset_icons)
                .where(asset_icons.c.asset_id == asset_id)
                .values(body=body, content_type=kind, failure=failure, tried_at=now)
            )
        bump(connection, CHANGE_TOPIC)
    return sum(body is not None for _, body, _, _ in fetched)


def _fetch(url: str, allow: Sequence[str]) -> tuple[bytes | None, str | None, str | None]:
    try:
        answer = guarded_fetch(
            url,
            accept=("image/png", "image/jpeg", "image/webp", "image/gif"),
            max_bytes=MAX_IMAGE_BYTES,
            allow=tuple(allow),
        )
    except UpstreamFailure as failure:
        log.info("icon_fetch_failed", reason=str(failure))
        return None, None, str(failure)
    kind = image_type(answer.body)
    if kind is None:
        return None, None, "The bytes are not a PNG, JPEG, WebP or GIF image."
    return answer.body, kind, None
