"""An asset's icon: the provider's image, fetched once and kept, else a generated monogram."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from backend import errors
from backend.http.prepared_responses import Prepared
from backend.markets.icons.monogram import monogram
from backend.markets.tables import asset_icons
from backend.store.database import Database, bump, upsert
from backend.upstream import UpstreamFailure, guarded_fetch

log = structlog.get_logger(__name__)

CHANGED = "asset_icons"
IMAGE_LIMIT = 256 * 1024
BATCH = 12
"""Images fetched in one turn: a first start with 250 assets is done within minutes, without a burst."""
TRY_AGAIN_AFTER = timedelta(days=1)

SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
"""What a file begins with. SVG is not among them: it can carry script."""

SAFE = (
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox"),
    (b"cross-origin-resource-policy", b"cross-origin"),
)


class Icons:
    """Icons as this process serves them, each made once."""

    def __init__(self, database: Database, symbols: dict[str, str], *, live: bool) -> None:
        """``symbols``: asset id to symbol, of every configured asset. Without ``live`` every icon is ours."""
        self._database = database
        self._live = live
        self._symbols = symbols
        self._made: dict[str, Prepared] = {}

    def forget(self) -> None:
        """Images have changed in the store: make each anew when it is asked for."""
        self._made = {}

    def icon(self, asset_id: str) -> Prepared:
        symbol = self._symbols.get(asset_id)
        if symbol is None:
            raise errors.NotFound(
                f"No configured asset has the id {asset_id[:80]!r}. GET /assets lists them."
            )
        known = self._made  # that of before the reading: forget() must not be overtaken by an older image
        made = known.get(asset_id)
        if made is None:
            kept = self._stored(asset_id) if self._live else None
            made = known[asset_id] = kept or _generated(asset_id, symbol)
        return made

    def _stored(self, asset_id: str) -> Prepared | None:
        condition = sa.and_(asset_icons.c.asset_id == asset_id, asset_icons.c.body.is_not(None))
        with self._database.read() as connection:
            row = connection.execute(sa.select(asset_icons).where(condition)).one_or_none()
        return None if row is None else _prepared(row.body, row.content_type)


def _generated(asset_id: str, symbol: str) -> Prepared:
    return _prepared(monogram(asset_id, symbol), "image/svg+xml")


def _prepared(body: bytes, content_type: str) -> Prepared:
    made = Prepared(body, content_type=content_type, cache_control="public, max-age=86400", extra=SAFE)
    if content_type == "image/svg+xml":  # the others are compressed already
        made.compress()
    return made


def image_type(body: bytes) -> str | None:
    """The media type that the bytes themselves tell, if it is one that is safe to serve."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in SIGNATURES.items() if body.startswith(signature)), None)


ADDRESSES = (asset_icons.c.asset_id, asset_icons.c.url, asset_icons.c.body.is_not(None).label("is_here"))


def note_images(database: Database, images: Mapping[str, str], now: datetime) -> None:
    """Remember where providers say that images are; a new address is fetched in the next turn.

    An image that is here stays, wherever the provider says that it is now.
    """
    with database.read() as connection:
        known = {row.asset_id: row for row in connection.execute(sa.select(*ADDRESSES))}
    rows = [
        {"asset_id": asset_id, "url": url, "tried_at": now - TRY_AGAIN_AFTER, "failure": None}
        for asset_id, url in images.items()
        if asset_id not in known or (known[asset_id].url != url and not known[asset_id].is_here)
    ]
    if rows:
        with database.write() as connection:
            upsert(connection, asset_icons, rows)


def fetch_missing(database: Database, now: datetime, *, allow: Sequence[str] = ()) -> int:
    """Fetch a batch of images not yet here; gives how many were kept. A failure waits a day."""
    with database.read() as connection:
        due = connection.execute(
            sa.select(asset_icons.c.asset_id, asset_icons.c.url)
            .where(asset_icons.c.body.is_(None), asset_icons.c.tried_at <= now - TRY_AGAIN_AFTER)
            .order_by(asset_icons.c.tried_at, asset_icons.c.asset_id)
            .limit(BATCH)
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
        bump(connection, CHANGED)
    return sum(body is not None for _, body, _, _ in fetched)


def _fetch(url: str, allow: Sequence[str]) -> tuple[bytes | None, str | None, str | None]:
    try:
        answer = guarded_fetch(
            url,
            accept=("image/png", "image/jpeg", "image/webp", "image/gif"),
            max_bytes=IMAGE_LIMIT,
            allow=tuple(allow),
        )
    except UpstreamFailure as failure:
        log.info("icon_fetch_failed", reason=str(failure))
        return None, None, str(failure)
    kind = image_type(answer.body)
    if kind is None:
        return None, None, "The bytes are not a PNG, JPEG, WebP or GIF image."
    return answer.body, kind, None
