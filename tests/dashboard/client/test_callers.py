"""Several callers share one client: each uses their own credential and sees no data of the others."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx
import pytest

from dashboard.client import callers, connection, markets
from dashboard.client.callers import ANONYMOUS, Caller, Credential
from dashboard.client.http import ApiClient


@dataclass
class Person:
    """A caller whose token is their name."""

    id: str
    ended: bool = False
    is_verified: bool = True
    next_id: str = ""
    accepted_at: list[float] = field(default_factory=list)

    def credential(self) -> Credential:
        return {"Authorization": f"Bearer {self.id}"}

    def handle_rejection(self, sent: Credential) -> bool:
        if not self.next_id:
            return False
        self.id, self.next_id = self.next_id, ""
        return True

    def record_acceptance(self, requested_at: float) -> None:
        self.accepted_at.append(requested_at)


@dataclass
class Server:
    """Accepts the callers in ``known`` and responds with their entry in ``bodies`` or a common body."""

    known: set[str]
    bodies: Mapping[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.headers.get("authorization", "").removeprefix("Bearer ")
        answer = self._answer(name, request)
        self.requests.append((name, answer.status_code))
        return answer

    def _answer(self, name: str, request: httpx.Request) -> httpx.Response:
        if name not in self.known:
            return httpx.Response(401, json={"code": "unauthorized", "detail": "Not known."})
        body = self.bodies.get(name, b'{"for": "all"}')
        tag = f'"{hash(body)}"'
        if request.headers.get("if-none-match") == tag:
            return httpx.Response(304, headers={"ETag": tag})
        return httpx.Response(200, content=body, headers={"ETag": tag})


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def server() -> Server:
    return Server({"ann", "bob"})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(server: Server, clock: Clock) -> ApiClient:
    return ApiClient(
        "http://service.test",
        lambda: "the-local-key",
        find_caller=lambda: ANONYMOUS,
        transport=httpx.MockTransport(server),
        clock=clock,
    )


def read(client: ApiClient, caller: Caller, path: str = "/prices") -> object:
    with callers.acting_as(caller):
        return client.get(path, "object").data


def test_each_caller_uses_their_own_token_and_equal_responses_share_one_object(
    client: ApiClient, server: Server
) -> None:
    first, second = read(client, Person("ann")), read(client, Person("bob"))
    assert server.requests == [("ann", 200), ("bob", 304)]
    assert first is second


def test_an_unknown_caller_does_not_get_the_response_to_another(client: ApiClient, server: Server) -> None:
    assert read(client, Person("ann"))
    assert read(client, Person("eve")) is None
    assert read(client, ANONYMOUS) is None
    assert server.requests == [("ann", 200), ("eve", 401), ("", 401)]


def test_responses_that_differ_between_callers_stay_separate(client: ApiClient, server: Server) -> None:
    server.bodies = {"ann": b'{"for": "ann"}', "bob": b'{"for": "bob"}'}
    for _ in range(2):
        assert read(client, Person("ann"), "/sources") == {"for": "ann"}
        assert read(client, Person("bob"), "/sources") == {"for": "bob"}


def test_a_cached_response_is_not_used_for_a_caller_who_is_not_verified(
    client: ApiClient, server: Server
) -> None:
    ann = Person("ann")
    assert read(client, ann, "/assets")
    server.known.remove("ann")
    ann.is_verified = False
    assert read(client, ann, "/assets") is None
    assert server.requests[-1] == ("ann", 401)


def test_data_that_a_caller_may_no_longer_read_is_not_shown_as_last_known(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    ann = Person("ann")
    read(client, ann)
    server.known.clear()
    clock.now += 10
    with callers.acting_as(ann):
        response = client.get("/prices", "object")
    assert (response.data, response.stale, response.error and response.error.status) == (None, False, 401)


def test_a_newer_token_is_tried_once_and_the_request_time_is_recorded(
    client: ApiClient, server: Server
) -> None:
    old = Person("old", next_id="ann")
    assert read(client, old)
    assert server.requests == [("old", 401), ("ann", 200)]
    assert old.accepted_at == [100.0]


def test_shared_responses_are_refreshed_as_their_latest_reader(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    ann, bob = Person("ann"), Person("bob")
    read(client, ann)
    clock.now += 0.5
    read(client, bob)
    server.requests.clear()
    server.bodies = dict.fromkeys(("ann", "bob"), b'{"for": "all", "new": 1}')
    clock.now += 2
    assert client.refresh_shared() is bob
    assert server.requests == [("bob", 200)]


def test_the_cached_responses_of_a_caller_are_dropped_after_they_leave(
    client: ApiClient, server: Server
) -> None:
    ann = Person("ann")
    read(client, ann, "/sources")
    ann.ended = True
    assert client.refresh_shared() is None
    assert "ann" not in client._entries


def test_a_call_in_another_thread_has_the_same_caller(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setattr(connection, "get_client", lambda: client)
    with callers.acting_as(Person("ann")):
        futures = [connection.start_call(markets.fetch_prices), connection.start_call(markets.fetch_status)]
    assert all(future.result(10).data for future in futures)
    assert set(server.requests) == {("ann", 200)}
