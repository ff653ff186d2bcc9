"""Serves asset icons from the dashboard's own origin, so that the browser contacts no other host.

Icons need no API key and hardly ever change. All readers share one copy in memory.
"""

import re
import threading
from collections import OrderedDict
from functools import partial
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dashboard.client import callers, markets
from dashboard.client.callers import ANONYMOUS
from dashboard.sign_in import guard

MAX_CACHED_ICONS = 1024
MAX_ICON_BYTES = 512 * 1024
IMAGE_TYPES = ("image/svg+xml", "image/png", "image/jpeg", "image/webp", "image/gif")
ASSET_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
HEADERS = {
    "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
}

_icon_cache: OrderedDict[str, tuple[bytes, str]] = OrderedDict()
_lock = threading.Lock()


async def serve_icon(request: Request) -> Response:
    """Serves the icon of one asset, or 404 without caching if there is none."""
    asset_id = request.path_params["asset_id"]
    find = partial(
        callers.run_as, guard.get_session(request.scope) or ANONYMOUS, partial(find_icon, asset_id)
    )
    image = await run_in_threadpool(find) if ASSET_ID.fullmatch(asset_id) else None
    if image is None:
        return Response(status_code=HTTPStatus.NOT_FOUND, headers={"Cache-Control": "no-store"})
    return Response(image[0], media_type=image[1], headers=HEADERS)


def find_icon(asset_id: str) -> tuple[bytes, str] | None:
    """Finds the icon in memory, else asks the service: its content and media type."""
    with _lock:
        if asset_id in _icon_cache:
            _icon_cache.move_to_end(asset_id)
            return _icon_cache[asset_id]
    image = markets.fetch_icon(asset_id)
    if image is None or image[1].split(";")[0].strip() not in IMAGE_TYPES or len(image[0]) > MAX_ICON_BYTES:
        return None
    with _lock:
        _icon_cache[asset_id] = image
        if len(_icon_cache) > MAX_CACHED_ICONS:
            _icon_cache.popitem(last=False)
    return image


ROUTES = (Route("/assets/{asset_id}/icon", serve_icon, methods=["GET"]),)
