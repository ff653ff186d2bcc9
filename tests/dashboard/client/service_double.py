"""Fakes the service and the clock of an API client."""

from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from dashboard.client.fetched import Fetched
from dashboard.client.http import ApiClient

KEY = "cp_testv1" + "a" * 32 + "_000000"
BODY = b'{"price": 1.10, "count": 3}'


@dataclass
class Server:
    """Responds with ``answer`` and records the requests."""

    answer: Callable[[httpx.Request], httpx.Response] = lambda _: httpx.Response(200, content=BODY)
    requests: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def read(client: ApiClient, path: str = "/prices") -> Fetched[dict[str, object]]:
    return client.get(path, "object")


def refuse(_: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("connection refused")


def problem(status: int, **body: object) -> Callable[[httpx.Request], httpx.Response]:
    return lambda _: httpx.Response(status, json=body, headers={"X-Request-ID": "r-1"})
