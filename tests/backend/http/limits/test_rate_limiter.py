"""Tests to whom a request is counted, what a refused credential costs, and the rate limit headers."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits.aio import strategies
from limits.aio.storage import memory

from backend.auth.key_cache import KeyCache
from backend.auth.key_format import generate
from backend.auth.principal import Principal
from backend.auth.service import create_key
from backend.http.limits import rate_limiter as limiting
from backend.http.limits.rate_limiter import (
    BoundedMemoryStorage,
    CountedRequest,
    LimitStatus,
    RateLimiter,
    build_limit_key,
)
from backend.runtime.metrics import LIMITED
from tests.support.apps.market_app import CALM, Clock, Running, enable_only, run_app, settings_in
from tests.support.http.asgi import Answer, send

SOMEBODY = "192.0.2.7"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("limited")
    enable_only(home, ("bitcoin",))
    running = run_app(settings_in(home, rate_limit="3/day"), Clock())
    yield running
    running.close()


@pytest.fixture
def running(service: Running, monkeypatch: pytest.MonkeyPatch) -> Running:
    """A service that lets everybody ask three times a day, and has counted nothing yet."""
    limit(service, 3, monkeypatch)
    return service


def limit(running: Running, amount: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.app, "_limiter", RateLimiter(amount, 86_400))


def ask(running: Running, path: str = "/prices", key: str | None = None, **more: Any) -> Answer:
    headers = {"CP-X-API-KEY": key or running.key} if key != "" else {}
    return send(running.app, path, headers=headers | more.pop("headers", {}), **more)


def request_statuses(running: Running, count: int, path: str = "/prices", **more: Any) -> list[int]:
    return [ask(running, path, **more).status for _ in range(count)]


def test_key_has_one_rate_limit_across_client_addresses(running: Running) -> None:
    addresses = ("192.0.2.7", "198.51.100.9", "2001:db8::1", "192.0.2.7")
    result = [ask(running, "/prices", client=address).status for address in addresses]
    assert result == [200, 200, 200, 429]


@pytest.mark.parametrize("path", ["/prices", "/prices/bitcoin/quotes", "/assets/bitcoin", "/nothing"])
def test_prepared_and_computed_responses_count_against_the_rate_limit(running: Running, path: str) -> None:
    result = request_statuses(running, 4, path)
    assert (result[:3].count(429), result[3]) == (0, 429)


def test_each_key_has_its_own_rate_limit(running: Running) -> None:
    other_key = create_key(running.database, name="other", scopes=("read",), now=CALM).key
    running.inner.state.watcher.poll()
    assert request_statuses(running, 4)[3] == 429
    assert ask(running, key=other_key).status == 200


def test_responses_report_the_remaining_quota_and_429_reports_retry_after(running: Running) -> None:
    answers = [ask(running) for _ in range(4)]
    assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["2", "1", "0", "0"]
    first, refused = answers[0].headers, answers[3].headers
    assert first["ratelimit-policy"] == '"key";q=3;w=86400'
    assert first["ratelimit"] == f'"key";r=2;t={first["ratelimit-reset"]}'
    assert "retry-after" not in first
    assert refused["retry-after"] == refused["ratelimit-reset"]
    assert int(refused["retry-after"]) > 0
    problem = answers[3].json()
    assert (problem["status"], problem["code"]) == (429, "rate_limited")
    assert "3 requests per day" in problem["detail"]
    assert refused["cache-control"] == "no-store"


def test_304_and_head_responses_count_and_report_the_rate_limit(running: Running) -> None:
    tag = ask(running).headers["etag"]
    not_modified = ask(running, headers={"If-None-Match": tag})
    assert (not_modified.status, not_modified.headers["ratelimit-remaining"]) == (304, "1")
    assert ask(running, method="HEAD").headers["ratelimit-remaining"] == "0"
    refused = ask(running, method="HEAD")
    assert (refused.status, refused.body) == (429, b"")


def test_rate_limit_errors_use_the_error_format_of_their_route_group(running: Running) -> None:
    request_statuses(running, 3)
    assert ask(running, "/topics").json() | {"message": ""} == {"code": 429, "message": "", "data": None}
    assert set(ask(running, "/oauth/token", method="POST").json()) == {"error", "error_description"}


def test_requests_without_a_valid_key_are_limited_by_address(running: Running) -> None:
    result = request_statuses(running, 5, key="", client=SOMEBODY)
    assert result == [401, 401, 401, 429, 429]
    assert ask(running, key="", client="192.0.2.8").status == 401
    assert ask(running, client=SOMEBODY).status == 200


def test_addresses_of_one_ipv6_network_share_a_rate_limit(running: Running) -> None:
    for number in range(3):
        ask(running, key="", client=f"2001:db8:0:1::{number}")
    assert ask(running, key="", client="2001:db8:0:1:ffff::9").status == 429
    assert ask(running, key="", client="2001:db8:0:2::1").status == 401


def test_guessed_keys_are_rejected_by_address_before_a_database_lookup(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests: list[str] = []
    monkeypatch.setattr(KeyCache, "load_from_store", lambda _, digest: bool(digests.append(digest)))
    result = [ask(running, key=generate("live"), client=SOMEBODY).status for _ in range(5)]
    assert result == [401, 401, 401, 429, 429]
    assert len(digests) == 3


@pytest.mark.parametrize(("amount", "guesses"), [(600, 60), (3000, 300), (60, 60), (5, 5)])
def test_rejected_credential_costs_more_than_one_request(amount: int, guesses: int) -> None:
    async def guess_until_refused() -> int:
        limiter = RateLimiter(amount, 86_400)
        for number in range(10_000):
            counted = await limiter.count(SOMEBODY)
            if not counted.allowed:
                return number
            await counted.charge(401)
        raise AssertionError("never refused")

    assert asyncio.run(guess_until_refused()) == guesses


def test_building_rate_limit_headers_does_not_consume_quota() -> None:
    async def read() -> None:
        limiter = RateLimiter(600, 86_400)
        refused = await (await limiter.count(SOMEBODY)).charge(401)
        result = refused.headers()
        assert [refused.headers() for _ in range(5)] == [result] * 5
        assert refused.status.remaining == 590
        assert (await limiter.count(SOMEBODY)).status.remaining == 589

    asyncio.run(read())


def test_401_response_reports_the_quota_it_consumed(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(running, 600, monkeypatch)
    assert ask(running, key="", client=SOMEBODY).headers["ratelimit-remaining"] == "590"
    assert ask(running, "/docs", key="", client=SOMEBODY).headers["ratelimit-remaining"] == "589"


def test_configured_rate_limit_is_applied(service: Running) -> None:
    rate = service.inner.state.limiter.rate
    assert (rate.amount, rate.get_expiry()) == (3, 86_400)


def test_local_key_is_not_rate_limited_on_this_machine(running: Running) -> None:
    local = (running.inner.state.settings.local_key_file).read_text().strip()
    answers = [ask(running, key=local) for _ in range(5)]
    assert {answer.status for answer in answers} == {200}
    assert "ratelimit" not in answers[0].headers


def test_local_key_is_rate_limited_for_remote_and_proxied_requests(running: Running) -> None:
    local = (running.inner.state.settings.local_key_file).read_text().strip()
    assert request_statuses(running, 2, key=local, client=SOMEBODY) == [200, 200]
    proxied: Any = {"X-Forwarded-For": SOMEBODY}
    assert request_statuses(running, 2, key=local, headers=proxied) == [200, 429]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_health_and_metrics_requests_are_never_rate_limited(running: Running, path: str) -> None:
    assert request_statuses(running, 4, path, key="") == [200] * 4
    assert "ratelimit" not in ask(running, path).headers


def test_rejections_metric_is_labelled_by_limit_policy(running: Running) -> None:
    before = [LIMITED.labels(policy)._value.get() for policy in ("key", "address")]
    request_statuses(running, 5)
    request_statuses(running, 4, key="")
    after = [LIMITED.labels(policy)._value.get() for policy in ("key", "address")]
    assert [b - a for a, b in zip(before, after, strict=True)] == [2, 1]


def test_key_and_address_callers_have_different_limit_keys() -> None:
    holder = Principal("x", "x", "api", frozenset(), "x")
    assert build_limit_key(holder).name != build_limit_key("x").name


def test_rate_limit_headers_follow_the_draft_syntax() -> None:
    counted = CountedRequest(RateLimiter(600, 60), build_limit_key("a"), LimitStatus(True, 12, 34))
    result = dict(counted.headers())
    assert result[b"ratelimit-policy"] == b'"address";q=600;w=60'
    assert result[b"ratelimit"] == b'"address";r=12;t=34'


class Time:
    """Stands for the module ``time`` in the library and in the limiter."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: float = 1_800_000_000.25) -> None:
        self.at = at
        for module in (memory, strategies, limiting):
            monkeypatch.setattr(module, "time", self)

    def time(self) -> float:
        return self.at


@given(
    amount=st.integers(1, 40),
    seconds=st.sampled_from([1, 10, 60]),
    steps=st.lists(st.floats(0, 90), max_size=30),
)
def test_request_is_allowed_after_waiting_for_the_reported_reset(
    amount: int, seconds: int, steps: list[float]
) -> None:
    async def wait(time: Time) -> None:
        limiter = RateLimiter(amount, seconds)
        for step in steps:
            time.at += step
            await limiter.count(SOMEBODY)
        while (counted := await limiter.count(SOMEBODY)).allowed:
            pass
        time.at += counted.status.reset
        assert (await limiter.count(SOMEBODY)).allowed

    with pytest.MonkeyPatch.context() as monkeypatch:
        asyncio.run(wait(Time(monkeypatch)))


def test_window_end_does_not_allow_a_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    time, limiter = Time(monkeypatch), RateLimiter(60, 60)

    async def count_allowed() -> int:
        return sum([(await limiter.count(SOMEBODY)).allowed for _ in range(100)])

    async def test() -> None:
        time.at += 59
        assert await count_allowed() == 60
        time.at += 2
        assert await count_allowed() == 2
        time.at += 29
        assert await count_allowed() == 29

    asyncio.run(test())


def test_storage_size_is_bounded_for_any_number_of_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiting, "MAX_COUNTS", 100)
    time, storage = Time(monkeypatch), BoundedMemoryStorage()

    async def test() -> None:
        for number in range(1000):
            await storage.incr(f"caller {number}", expiry=60)
            assert len(storage.storage) <= 100
        await storage.reset()
        await storage.incr("early", expiry=60)
        time.at += 30
        for number in range(40):
            await storage.incr(f"late {number}", expiry=60)
        time.at += 31
        for number in range(60):
            await storage.incr(f"new {number}", expiry=60)
        assert await storage.get("late 0") == 0, "More than half are alive, so all are forgotten."

    asyncio.run(test())
