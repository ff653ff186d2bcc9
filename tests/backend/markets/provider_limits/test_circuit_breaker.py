import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.model import ErrorKind
from backend.markets.provider_limits.circuit_breaker import (
    MAX_BACKOFF,
    CircuitBreaker,
    fingerprint,
    next_period,
)

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def after(seconds):
    return NOW + timedelta(seconds=seconds)


def failed_times(count=5, *, jitter=0.0):
    breaker = CircuitBreaker()
    for second in range(count):
        breaker = breaker.record_failure(ErrorKind.UNAVAILABLE, after(second), jitter=jitter)
    return breaker


def test_a_new_breaker_allows_every_call():
    assert CircuitBreaker().check(NOW).allowed
    assert CircuitBreaker().health(NOW).state == "ok"
    assert CircuitBreaker().health(NOW).message is None


def test_four_failures_do_not_open_it():
    breaker = failed_times(4)
    assert breaker.is_allowed(after(4))
    assert breaker.health(after(4)).message.text == "Recent failures: 4."


def test_five_failures_in_a_row_open_it_for_thirty_seconds():
    breaker = failed_times()
    assert not breaker.is_allowed(after(5))
    health = breaker.health(after(5))
    assert (health.state, health.retry_at) == ("open", after(34))
    assert health.message.text == "It failed repeatedly; asked again at 2026-05-18T12:00:34Z."
    assert not breaker.is_allowed(after(33.999))
    assert breaker.is_allowed(after(34))


def test_a_wait_ends_when_the_clock_was_set_back_and_a_failure_starts_a_new_one():
    breaker, earlier = failed_times(), after(-3600)
    assert not breaker.is_allowed(after(-20)), "a clock of another machine"
    assert breaker.check(earlier).probe
    probing = breaker.record_call(earlier)
    assert not probing.is_allowed(earlier)
    failed = probing.record_failure(ErrorKind.UNAVAILABLE, earlier)
    assert failed.health(earlier).retry_at == earlier + timedelta(seconds=60)


@pytest.mark.parametrize("seconds", [1, 15, 60])
def test_a_failure_at_each_tick_opens_it_at_any_tick_interval(seconds):
    breaker = CircuitBreaker()
    for tick in range(5):
        breaker = breaker.record_failure(ErrorKind.UNAVAILABLE, NOW + timedelta(seconds=seconds * tick))
    assert breaker.kind == "open"


def test_failures_spread_over_more_than_five_minutes_do_not_open_it():
    breaker = CircuitBreaker()
    for failure in range(20):
        breaker = breaker.record_failure(ErrorKind.UNAVAILABLE, NOW + timedelta(seconds=75 * failure))
    assert breaker.kind == "closed"


def test_a_success_clears_earlier_failures():
    breaker = failed_times(4).record_success(after(5)).record_failure(ErrorKind.MALFORMED, after(6))
    assert breaker.is_allowed(after(6))


def test_after_the_wait_exactly_one_probe_is_allowed():
    breaker = failed_times()
    decision = breaker.check(after(34))
    assert (decision.allowed, decision.probe) == (True, True)
    assert breaker.health(after(34)).state == "waiting"
    probing = breaker.record_call(after(34))
    second = probing.check(after(35))
    assert (second.allowed, second.retry_at) == (False, after(94))
    assert probing.health(after(35)).state == "waiting"


def test_a_probe_of_a_dead_process_is_replaced_after_a_minute():
    assert failed_times().record_call(after(34)).check(after(94)).probe


def test_a_probe_that_succeeds_closes_it():
    breaker = failed_times().record_call(after(34)).record_success(after(35))
    assert breaker == CircuitBreaker()


def test_each_failed_probe_doubles_the_wait_up_to_thirty_minutes():
    breaker, now, waits = failed_times(), after(34), []
    for _ in range(9):
        breaker = breaker.record_call(now).record_failure(ErrorKind.UNAVAILABLE, now)
        waits.append((breaker.until - now).total_seconds())
        now = breaker.until
    assert waits == [60, 120, 240, 480, 960, 1800, 1800, 1800, 1800]


def test_jitter_lengthens_a_wait_by_up_to_a_tenth():
    assert failed_times(jitter=0.5).until == after(4 + 31.5)


@pytest.mark.parametrize("jitter", [-0.1, 1.0, float("nan")])
def test_jitter_outside_its_range_raises_value_error(jitter):
    with pytest.raises(ValueError, match="Jitter"):
        CircuitBreaker().record_failure(ErrorKind.UNAVAILABLE, NOW, jitter=jitter)


def test_failures_of_older_calls_do_not_extend_a_running_wait():
    breaker = failed_times()
    assert breaker.record_failure(ErrorKind.UNAVAILABLE, after(6)) == breaker


def test_an_unknown_id_counts_as_a_success():
    assert failed_times(4).record_failure(ErrorKind.NOT_FOUND, after(5)).failures == ()


def test_a_throttled_provider_is_not_called_for_exactly_its_retry_after():
    breaker = CircuitBreaker().record_failure(ErrorKind.THROTTLED, NOW, retry_after=17)
    assert not breaker.is_allowed(after(16.999))
    assert breaker.is_allowed(after(17))
    health = breaker.health(after(1))
    assert (health.state, health.since, health.retry_at) == ("throttled", NOW, after(17))
    assert breaker.health(after(17)).state == "waiting"


@pytest.mark.parametrize("retry_after", [None, float("nan")])
def test_a_throttle_without_retry_after_lasts_a_minute(retry_after):
    assert CircuitBreaker().record_failure(ErrorKind.THROTTLED, NOW, retry_after=retry_after).until == after(
        60
    )


def test_retry_after_is_clamped_to_between_zero_and_one_day():
    assert CircuitBreaker().record_failure(ErrorKind.THROTTLED, NOW, retry_after=-5).until == NOW
    assert CircuitBreaker().record_failure(
        ErrorKind.THROTTLED, NOW, retry_after=float("inf")
    ).until == NOW + timedelta(days=1)


@pytest.mark.parametrize(
    ("retry_after", "waits"),
    [
        (None, [60, 120, 240, 480, 960, 1800, 1800]),
        (7, [7, 30, 60, 120, 240, 480, 960, 1800, 1800]),
        (0, [0, 30, 60, 120]),
        (900, [900, 1800, 1800]),
        (7200, [7200, 7200, 7200]),
    ],
)
def test_a_repeated_throttle_doubles_its_wait_and_lasts_at_least_retry_after(retry_after, waits):
    breaker, now, seen = CircuitBreaker(), NOW, []
    for _ in waits:
        breaker = breaker.record_call(now).record_failure(ErrorKind.THROTTLED, now, retry_after=retry_after)
        if retry_after != 0:
            repeated = breaker.record_failure(ErrorKind.THROTTLED, now, retry_after=retry_after)
            assert repeated == breaker, "a second refusal of the same tick"
        seen.append((breaker.until - now).total_seconds())
        now = breaker.until
    assert seen == waits
    assert breaker.health(now).since == NOW
    assert breaker.record_success(now).record_failure(ErrorKind.THROTTLED, now).until == now + timedelta(
        seconds=60
    )


def test_a_success_of_an_older_call_does_not_end_a_throttle():
    throttled = CircuitBreaker().record_failure(ErrorKind.THROTTLED, NOW, retry_after=60)
    assert not throttled.record_success(after(1)).is_allowed(after(2))
    assert throttled.record_success(after(61)) == CircuitBreaker()


def test_a_spent_quota_waits_for_the_next_day_or_month_or_retry_after():
    day = CircuitBreaker().record_failure(ErrorKind.QUOTA_SPENT, NOW)
    month = CircuitBreaker().record_failure(ErrorKind.QUOTA_SPENT, NOW, period="month")
    retry_after = CircuitBreaker().record_failure(
        ErrorKind.QUOTA_SPENT, NOW, retry_after=3600, period="month"
    )
    assert day.until == datetime(2026, 5, 19, tzinfo=UTC)
    assert month.until == datetime(2026, 6, 1, tzinfo=UTC)
    assert retry_after.until == after(3600)
    assert month.health(NOW).state == "quota_spent"
    assert month.is_allowed(datetime(2026, 6, 1, tzinfo=UTC))


def test_a_throttle_never_shortens_the_wait_for_a_spent_quota():
    spent = CircuitBreaker().record_failure(ErrorKind.QUOTA_SPENT, NOW)
    assert spent.record_failure(ErrorKind.THROTTLED, after(1), retry_after=5) == spent


@pytest.mark.parametrize(
    ("fault", "state", "sentence"),
    [
        (
            ErrorKind.UNAUTHORISED,
            "unauthorised",
            "The key was refused; asked again at {}, and at once when the key is changed. It said: why",
        ),
        (
            ErrorKind.REFUSED,
            "refused",
            "It refused access; asked again at {}, and at once after a restart. It said: why",
        ),
    ],
)
def test_one_access_refusal_is_probed_with_backoff_up_to_thirty_minutes(fault, state, sentence):
    breaker, now, waits = CircuitBreaker(), NOW, []
    for _ in range(9):
        breaker = breaker.record_call(now).record_failure(fault, now, message="why")
        health = breaker.health(now)
        assert (health.state, health.since, health.retry_at) == (state, NOW, breaker.until)
        assert health.message.text == sentence.format(health.message.values["retry_at"])
        assert health.message.values["fault"] == fault.value
        assert not breaker.is_allowed(breaker.until - timedelta(seconds=1))
        waits.append((breaker.until - now).total_seconds())
        now = breaker.until
    assert waits == [30, 60, 120, 240, 480, 960, 1800, 1800, 1800]
    assert breaker.record_call(now).record_success(now) == CircuitBreaker()


def test_a_probe_that_fails_otherwise_continues_the_backoff():
    refused = CircuitBreaker().record_failure(ErrorKind.REFUSED, NOW)
    failed = refused.record_failure(ErrorKind.UNAVAILABLE, after(30))
    assert (failed.kind, failed.until, failed.since) == ("open", after(90), NOW)


@pytest.mark.parametrize("fault", [ErrorKind.UNAUTHORISED, ErrorKind.REFUSED])
def test_a_refusal_is_probed_at_once_after_a_restart_or_a_changed_configuration(fault):
    breaker = CircuitBreaker().with_fingerprint("a").record_failure(fault, NOW)
    assert breaker.with_fingerprint("a") is breaker
    assert not breaker.is_allowed(after(1))
    assert breaker.after_restart().is_allowed(after(1))
    assert breaker.with_fingerprint("b").is_allowed(after(1))
    repeated = breaker.after_restart().record_failure(fault, after(1))
    assert repeated.until == after(61), "a restart does not shorten the pauses"


def test_a_restart_does_not_end_a_wait_set_by_the_provider():
    throttled = CircuitBreaker().record_failure(ErrorKind.THROTTLED, NOW, retry_after=60)
    spent = CircuitBreaker().record_failure(ErrorKind.QUOTA_SPENT, NOW)
    assert (throttled.after_restart(), spent.after_restart()) == (throttled, spent)


def test_a_permanent_refusal_stored_by_an_earlier_version_is_probed():
    stored = CircuitBreaker().record_failure(ErrorKind.UNAUTHORISED, NOW).to_json() | {
        "until": None,
        "wait_seconds": 0,
    }
    del stored["since"]
    breaker = CircuitBreaker.from_json(stored)
    assert breaker.check(NOW).probe
    assert breaker.health(NOW).message.code == "probing"


def test_stored_state_contains_no_error_kind_unknown_to_the_previous_version():
    assert CircuitBreaker().record_failure(ErrorKind.REFUSED, NOW).to_json()["fault"] is None


@pytest.mark.parametrize(
    ("fault", "code"), [(ErrorKind.THROTTLED, "throttled"), (ErrorKind.QUOTA_SPENT, "quota_spent")]
)
def test_the_message_of_a_wait_set_by_the_provider_contains_its_end(fault, code):
    breaker = CircuitBreaker().record_failure(fault, NOW, retry_after=90, message="slow down")
    message = breaker.health(after(1)).message
    assert (message.code, message.values["retry_at"]) == (code, "2026-05-18T12:01:30Z")
    assert (message.values["said"], message.values["fault"]) == ("slow down", fault.value)


def test_the_message_during_a_probe_says_so():
    assert failed_times().health(after(35)).message.code == "probing"


def test_a_failure_stored_by_an_earlier_version_is_shown_without_its_error_kind():
    stored = failed_times().to_json()
    del stored["fault"]
    assert "fault" not in CircuitBreaker.from_json(stored).health(after(5)).message.values


def test_a_new_configuration_ends_a_throttle_because_each_key_has_its_own_limit():
    breaker = (
        CircuitBreaker()
        .with_fingerprint("a")
        .record_failure(ErrorKind.THROTTLED, NOW, retry_after=60)
        .with_fingerprint("b")
    )
    assert breaker == CircuitBreaker(fingerprint="b")


def test_failing_since_ignores_failures_that_no_longer_count():
    breaker = (
        CircuitBreaker()
        .record_failure(ErrorKind.UNAVAILABLE, NOW)
        .record_failure(ErrorKind.UNAVAILABLE, after(600))
    )
    assert breaker.health(after(600)).since == after(600)
    assert failed_times().health(after(5)).since == NOW


def test_a_new_configuration_clears_a_spent_quota_and_closes_the_breaker():
    assert (
        CircuitBreaker()
        .with_fingerprint("a")
        .record_failure(ErrorKind.QUOTA_SPENT, NOW)
        .with_fingerprint("b")
        .is_allowed(NOW)
    )
    assert failed_times().with_fingerprint("a").with_fingerprint("b").is_allowed(after(5))


def test_the_first_fingerprint_only_gets_stored():
    assert not failed_times().with_fingerprint("a").is_allowed(after(5))


def test_a_fingerprint_distinguishes_its_parts_and_contains_none_of_them():
    digest = fingerprint("demo", "secret")
    assert digest != fingerprint("demos", "ecret")
    assert digest != fingerprint("demo", None)
    assert "secret" not in digest
    assert len(digest) == 64


def test_the_providers_message_is_truncated_to_one_short_line():
    breaker = CircuitBreaker().record_failure(ErrorKind.THROTTLED, NOW, message="slow\n down " + "x" * 1000)
    assert breaker.message.startswith("slow down x")
    assert len(breaker.message) == 300


@pytest.mark.parametrize(
    ("now", "period", "expected"),
    [
        (datetime(2026, 12, 31, 23, 59, tzinfo=UTC), "day", datetime(2027, 1, 1, tzinfo=UTC)),
        (datetime(2026, 12, 31, 23, 59, tzinfo=UTC), "month", datetime(2027, 1, 1, tzinfo=UTC)),
        (datetime(2028, 1, 31, tzinfo=UTC), "month", datetime(2028, 2, 1, tzinfo=UTC)),
        (datetime(2028, 2, 1, tzinfo=UTC), "month", datetime(2028, 3, 1, tzinfo=UTC)),
    ],
)
def test_periods_end_at_utc_midnights(now, period, expected):
    assert next_period(now, period) == expected


calls = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=4000),
        st.sampled_from([*ErrorKind, None]),
        st.none() | st.floats(min_value=0, max_value=5000),
        st.floats(min_value=0, max_value=0.999),
    ),
    max_size=40,
)


@given(calls)
def test_for_any_history_state_survives_storage_and_waits_stay_bounded(history):
    breaker, now = CircuitBreaker(), NOW
    for wait, fault, retry_after, jitter in history:
        now += timedelta(seconds=wait)
        stored = CircuitBreaker.from_json(json.loads(json.dumps(breaker.to_json())))
        assert stored == breaker
        decision = breaker.check(now)
        health = breaker.health(now)
        assert decision.allowed or health.state != "ok"
        assert decision.allowed or decision.retry_at is None or decision.retry_at > now
        assert decision.allowed or now < decision.retry_at <= now + timedelta(days=1, minutes=1)
        breaker = breaker.record_call(now)
        if fault is None:
            breaker = breaker.record_success(now)
        else:
            breaker = breaker.record_failure(fault, now, retry_after=retry_after, jitter=jitter)
        if breaker.kind in ("open", "unauthorised", "refused"):
            assert breaker.until - now <= MAX_BACKOFF * 1.1
