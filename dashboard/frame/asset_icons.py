"""Asset icons from the dashboard's own address, so that the browser asks nothing of another host.

The service needs no key for them, and they hardly ever change: one copy is kept for all readers.
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

from dashboard.client import api, callers
from dashboard.client.callers import NOBODY
from dashboard.sign_in import guard

MOST_KEPT = 1024
MOST_BYTES = 512 * 1024
KINDS = ("image/svg+xml", "image/png", "image/jpeg", "image/webp", "image/gif")
ASSET_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
HEADERS = {
    "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
}

_kept: OrderedDict[str, tuple[bytes, str]] = OrderedDict()
_lock = threading.Lock()


async def icon(request: Request) -> Response:
    """The icon of one asset; 404 where there is none, and nothing is kept then."""
    asset_id = request.path_params["asset_id"]
    asked = partial(callers.run_as, guard.caller_of(request.scope) or NOBODY, partial(find, asset_id))
    image = await run_in_threadpool(asked) if ASSET_ID.fullmatch(asset_id) else None
    if image is None:
        return Response(status_code=HTTPStatus.NOT_FOUND, headers={"Cache-Control": "no-store"})
    return Response(image[0], media_type=image[1], headers=HEADERS)


def find(asset_id: str) -> tuple[bytes, str] | None:
    with _lock:
        if asset_id in _kept:
            _kept.move_to_end(asset_id)
            return _kept[asset_id]
    found = api.icon(asset_id)
    if found is None or found[1].split(";")[0].strip() not in KINDS or len(found[0]) > MOST_BYTES:
        return None
    with _lock:
        _kept[asset_id] = found
        if len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return found


ROUTES = (Route("/assets/{asset_id}/icon", icon, methods=["GET"]),)
