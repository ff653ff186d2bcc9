"""Several people over one client: each asks with their own credential, and sees nothing of another's."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx
import pytest

from dashboard.client import api, callers
from dashboard.client.callers import NOBODY, Caller, Credential
from dashboard.client.http import ApiClient


@dataclass
class Person:
    """A caller whose token is their name."""

    id: str
    ended: bool = False
    certain: bool = True
    newer: str = ""
    heard: list[float] = field(default_factory=list)

    def credential(self) -> Credential:
        return {"Authorization": f"Bearer {self.id}"}

    def refused(self, sent: Credential) -> bool:
        if not self.newer:
            return False
        self.id, self.newer = self.newer, ""
        return True

    def accepted(self, asked_at: float) -> None:
        self.heard.append(asked_at)


@dataclass
class Server:
    """Knows the people of ``known``; what each is answered is what ``bodies`` has for them, or for all."""

    known: set[str]
    bodies: Mapping[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        name = request.headers.get("authorization", "").removeprefix("Bearer ")
        answer = self._answer(name, request)
        self.asked.append((name, answer.status_code))
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
        whose=lambda: NOBODY,
        transport=httpx.MockTransport(server),
        clock=clock,
    )


def read(client: ApiClient, who: Caller, path: str = "/prices") -> object:
    with callers.acting_as(who):
        return client.get(path, "object").data


def test_each_asks_with_their_own_token_and_equal_answers_are_one_object(
    client: ApiClient, server: Server
) -> None:
    first, second = read(client, Person("ann")), read(client, Person("bob"))
    assert server.asked == [("ann", 200), ("bob", 304)]
    assert first is second


def test_who_is_not_known_is_not_given_what_another_was_answered(client: ApiClient, server: Server) -> None:
    assert read(client, Person("ann"))
    assert read(client, Person("eve")) is None
    assert read(client, NOBODY) is None
    assert server.asked == [("ann", 200), ("eve", 401), ("", 401)]


def test_answers_that_differ_between_people_stay_apart(client: ApiClient, server: Server) -> None:
    server.bodies = {"ann": b'{"for": "ann"}', "bob": b'{"for": "bob"}'}
    for _ in range(2):
        assert read(client, Person("ann"), "/sources") == {"for": "ann"}
        assert read(client, Person("bob"), "/sources") == {"for": "bob"}


def test_a_kept_answer_is_not_given_to_whom_the_service_was_not_heard_of_for_a_moment(
    client: ApiClient, server: Server
) -> None:
    ann = Person("ann")
    assert read(client, ann, "/assets")
    server.known.remove("ann")
    ann.certain = False
    assert read(client, ann, "/assets") is None
    assert server.asked[-1] == ("ann", 401)


def test_what_may_no_longer_be_read_is_not_shown_as_the_last_known(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    ann = Person("ann")
    read(client, ann)
    server.known.clear()
    clock.now += 10
    with callers.acting_as(ann):
        told = client.get("/prices", "object")
    assert (told.data, told.stale, told.error and told.error.status) == (None, False, 401)


def test_a_newer_token_is_tried_once_and_the_time_of_asking_is_noted(
    client: ApiClient, server: Server
) -> None:
    old = Person("old", newer="ann")
    assert read(client, old)
    assert server.asked == [("old", 401), ("ann", 200)]
    assert old.heard == [100.0]


def test_shared_answers_are_kept_fresh_in_the_name_of_who_wanted_them_last(
    client: ApiClient, server: Server, clock: Clock
) -> None:
    ann, bob = Person("ann"), Person("bob")
    read(client, ann)
    clock.now += 0.5
    read(client, bob)
    server.asked.clear()
    server.bodies = dict.fromkeys(("ann", "bob"), b'{"for": "all", "new": 1}')
    clock.now += 2
    assert client.refresh_shared() is bob
    assert server.asked == [("bob", 200)]


def test_what_was_answered_to_somebody_is_dropped_when_they_have_left(
    client: ApiClient, server: Server
) -> None:
    ann = Person("ann")
    read(client, ann, "/sources")
    ann.ended = True
    assert client.refresh_shared() is None
    assert "ann" not in client._slots


def test_a_call_that_is_begun_beside_others_is_made_in_the_same_name(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setattr(api, "client", lambda: client)
    with callers.acting_as(Person("ann")):
        begun = [api.ahead(api.prices), api.ahead(api.status)]
    assert all(future.result(10).data for future in begun)
    assert set(server.asked) == {("ann", 200)}
