"""Loads the protocol's library at the first call and runs it for all calls of the process."""

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.mcp.links import Links
from backend.settings import Settings

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

WAITING_PART = 4
"""One in this many of the requests at once may wait for a job."""


class SdkHost:
    """Answers the bodies of ``/mcp``. Belongs to the event loop's thread.

    There are no sessions: each request is complete in itself, so a process keeps nothing between two of them
    and any process can answer the next one. The library is loaded in a worker thread at the first call, since
    it takes 24 MB and half a second that most installations do not need.
    """

    def __init__(self, settings: Settings, find_service: Callable[[], ASGIApp]) -> None:
        """``find_service`` returns the outermost application, which is built after the routes."""
        self._settings = settings
        self._find_service = find_service
        self._loading = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._stop = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose headers are checked, as an ASGI application."""
        manager = self._manager
        if manager is None or self._runner is None or self._runner.done():
            manager = await self._load()
        await manager.handle_request(scope, receive, send)

    async def stop(self) -> None:
        """Cancel all calls, if there were any."""
        self._stop.set()
        if self._runner is not None:
            await self._runner

    async def _load(self) -> "StreamableHTTPSessionManager":
        async with self._loading:
            if self._manager is None or self._runner is None or self._runner.done():
                manager = await run_in_threadpool(self._build)
                started = asyncio.Event()
                # An own context: otherwise the log lines of this task would bear the first call's request id.
                self._runner = asyncio.get_running_loop().create_task(
                    self._run(manager, started), context=Context()
                )
                await started.wait()
                self._manager = manager
            return self._manager

    async def _run(self, manager: "StreamableHTTPSessionManager", started: asyncio.Event) -> None:
        async with manager.run():
            started.set()
            await self._stop.wait()

    def _build(self) -> "StreamableHTTPSessionManager":
        from mcp.server.transport_security import TransportSecuritySettings

        from backend.mcp.connections import connect_in_process
        from backend.mcp.server import build_server
        from backend.mcp.service_client import WaitSlots

        settings = self._settings
        server = build_server(
            connect_in_process(
                self._find_service(),
                Links(settings.issuer_url, settings.dashboard_public_origin),
                request_timeout_seconds=settings.request_timeout_seconds,
                wait_slots=WaitSlots(settings.requests_at_once // WAITING_PART),
            )
        )
        server.streamable_http_app(
            stateless_http=True,
            max_request_body_size=settings.body_limit_bytes,
            # The route has checked the origin before the body was read.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        return server.session_manager
