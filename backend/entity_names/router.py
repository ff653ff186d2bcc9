"""Defines the endpoint of names."""

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from backend.auth.gate import gated_router
from backend.entity_names.names_response import PATH, NamesResponseCache
from backend.http.responses import CACHED_RESPONSES, PreparedResponse

router = gated_router(scope="read", tags=["markets"])


class LocalizedNames(BaseModel):
    """The names of one asset, organisation or person; where a language has none, its English name."""

    en: str
    ja: str
    zh: str
    aliases: list[str] = Field(description="Other names in any language, former names and tickers.")


@router.get(PATH, response_model=dict[str, LocalizedNames], responses=CACHED_RESPONSES)
def list_names(request: Request) -> Response:
    """The names of assets, organisations and people in three languages, by id.

    The ids are those of assets, and of the catalogue for everything that is not a configured asset.
    """
    names: NamesResponseCache = request.app.state.names
    return PreparedResponse(names.load(), request)
