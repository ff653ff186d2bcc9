"""The dashboard's line to the service, which a test can cut and mend, or have answer otherwise."""

import httpx


class Line(httpx.BaseTransport):
    def __init__(self) -> None:
        self.cut = False
        self.instead: httpx.Response | None = None
        """What is answered in the service's place."""
        self._inner = httpx.HTTPTransport(verify=False)  # loopback: no certificates to be read

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.cut:
            raise httpx.ConnectError("connection refused", request=request)
        if self.instead is not None:
            return self.instead
        return self._inner.handle_request(request)
