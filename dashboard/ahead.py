"""Begins to ask for what a coin's panel shows while the reader is still pressing the mouse button.

The press takes about as long as the service's answers; the click's own run then finds them in the
client's cache. Nothing is answered here but that it has begun.
"""

from contextlib import nullcontext
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dashboard.client import api
from dashboard.client.callers import acting_as
from dashboard.icons import ASSET_ID
from dashboard.services.rankings import SPANS
from dashboard.sign_in import guard


def begin(request: Request) -> Response:
    """Ask ahead for one asset's candles, quotes and facts; 404 for what cannot be an asset's id."""
    asset_id = request.path_params["asset_id"]
    if not ASSET_ID.fullmatch(asset_id):
        return Response(status_code=HTTPStatus.NOT_FOUND)
    caller = guard.caller_of(request.scope)
    span = next((span for span in SPANS if span == request.query_params.get("span")), SPANS[0])
    with acting_as(caller) if caller is not None else nullcontext():
        api.ahead(lambda: api.candles(asset_id, span))
        api.ahead(lambda: api.quotes(asset_id))
        api.ahead(lambda: api.asset(asset_id))
    return Response(status_code=HTTPStatus.NO_CONTENT, headers={"Cache-Control": "no-store"})


ROUTES = (Route("/assets/{asset_id}/ahead", begin, methods=["GET"]),)
