"""Sends single requests to an ASGI application without a server."""

import asyncio
from collections.abc import Mapping

import httpx
from starlette.types import ASGIApp


class AsgiClient:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self._send("GET", path, headers)

    def head(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self._send("HEAD", path, headers)

    def _send(self, method: str, path: str, headers: Mapping[str, str] | None) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(send())
