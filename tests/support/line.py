"""The dashboard's line to the service, which a test can cut and mend."""

import httpx


class Line(httpx.BaseTransport):
    def __init__(self) -> None:
        self.cut = False
        self._inner = httpx.HTTPTransport(verify=False)  # loopback: no certificates to be read

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.cut:
            raise httpx.ConnectError("connection refused", request=request)
        return self._inner.handle_request(request)
