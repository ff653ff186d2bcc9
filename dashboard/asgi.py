"""The dashboard as one ASGI application: ``streamlit run dashboard/asgi.py``.

Besides the pages it serves the assets' icons, and it asks the service once at its start for what
the first page needs.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.client import api
from dashboard.icons import ROUTES

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"SAMEORIGIN"),
)


class SecurityHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *((n, v) for n, v in HEADERS if n not in sent)]
            await send(message)

        await self._app(scope, receive, with_headers)


@asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[dict[str, Any]]:
    warming = asyncio.get_running_loop().run_in_executor(None, warm)
    yield {}
    await warming


def warm() -> None:
    """A failure is kept by the client and shown by the first page, so it needs no words here."""
    try:
        api.client()
    except api.SettingsError:
        return
    api.overview()
    api.prices()
    api.rankings("24h")


app = st.App(
    Path(__file__).parent / "app.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=[Middleware(SecurityHeaders)],
)
