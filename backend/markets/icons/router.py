"""Serves ``/assets/{id}/icon`` without authentication and cacheable.

So pages show icons without a key, and browsers send no requests to a provider. The module is separate from
the icon store, which the worker loads without an HTTP framework.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from backend.http.responses import CACHED_RESPONSES, PreparedResponse, document_not_found

router = APIRouter(tags=["markets"])


@router.get(
    "/assets/{id}/icon",
    response_class=Response,
    responses={
        200: {
            "content": {
                kind: {} for kind in ("image/svg+xml", "image/png", "image/jpeg", "image/webp", "image/gif")
            },
            "description": "The asset's icon.",
        },
        **CACHED_RESPONSES,
        **document_not_found("No configured asset has this id."),
        503: {"description": "The data store does not answer; `Retry-After` says when to ask again."},
    },
)
def read_asset_icon(
    request: Request, id: Annotated[str, Path(description="A canonical asset id.")]
) -> Response:
    """The asset's icon; needs no key."""
    return PreparedResponse(request.app.state.icons.icon(id), request)
