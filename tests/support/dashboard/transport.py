"""Connects the dashboard to the service with a transport that a test can cut or answer itself."""

import httpx


class CuttableTransport(httpx.BaseTransport):
    """Fails every request while ``is_cut``; returns ``response``, if set, in place of the service's."""

    def __init__(self) -> None:
        self.is_cut = False
        self.response: httpx.Response | None = None
        self._http = httpx.HTTPTransport(verify=False)  # loopback needs no certificates

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_cut:
            raise httpx.ConnectError("connection refused", request=request)
        if self.response is not None:
            return self.response
        return self._http.handle_request(request)
