"""Connects the dashboard to the service with a connection that a test can cut or answer itself."""

import httpx


class Line(httpx.BaseTransport):
    def __init__(self) -> None:
        self.cut = False
        self.instead: httpx.Response | None = None
        """Replaces the service's response."""
        self._inner = httpx.HTTPTransport(verify=False)  # loopback needs no certificates

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.cut:
            raise httpx.ConnectError("connection refused", request=request)
        if self.instead is not None:
            return self.instead
        return self._inner.handle_request(request)
