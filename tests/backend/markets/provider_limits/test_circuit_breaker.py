import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.markets.model import ErrorKind
from backend.markets.provider_limits.circuit_breaker import LONGEST_WAIT, Breaker, fingerprint, next_period

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def after(seconds):
    return NOW + timedelta(seconds=seconds)


def broken(count=5, *, jitter=0.0):
    breaker = Breaker()
    for second in range(count):
        breaker = breaker.failed(ErrorKind.UNAVAILABLE, after(second), jitter=jitter)
    return breaker


def test_a_new_breaker_lets_every_call_through():
    assert Breaker().allow(NOW).allowed
    assert Breaker().standing(NOW).state == "ok"
    assert Breaker().standing(NOW).message is None


def test_four_failures_do_not_open_it():
    breaker = broken(4)
    assert breaker.allows(after(4))
    assert breaker.standing(after(4)).message.text == "4 recent failures."


def test_five_failures_in_a_row_open_it_for_half_a_minute():
    breaker = broken()
    assert not breaker.allows(after(5))
    standing = breaker.standing(after(5))
    assert (standing.state, standing.retry_at) == ("open", after(34))
    assert standing.message.text == "It failed repeatedly; asked again at 2026-05-18T12:00:34Z."
    assert not breaker.allows(after(33.999))
    assert breaker.allows(after(34))


def test_a_wait_of_a_clock_that_was_put_back_is_over_and_a_failure_begins_another():
    breaker, earlier = broken(), after(-3600)
    assert not breaker.allows(after(-20)), "a clock of another machine"
    assert breaker.allow(earlier).probe
    asked = breaker.asked(earlier)
    assert not asked.allows(earlier)
    failed = asked.failed(ErrorKind.UNAVAILABLE, earlier)
    assert failed.standing(earlier).retry_at == earlier + timedelta(seconds=60)


@pytest.mark.parametrize("seconds", [1, 15, 60])
def test_a_failure_at_each_tick_opens_it_however_far_ticks_are_apart(seconds):
    breaker = Breaker()
    for tick in range(5):
        breaker = breaker.failed(ErrorKind.UNAVAILABLE, NOW + timedelta(seconds=seconds * tick))
    assert breaker.kind == "open"


def test_failures_spread_over_more_than_five_minutes_do_not_open_it():
    breaker = Breaker()
    for failure in range(20):
        breaker = breaker.failed(ErrorKind.UNAVAILABLE, NOW + timedelta(seconds=75 * failure))
    assert breaker.kind == "closed"


def test_a_success_forgets_earlier_failures():
    breaker = broken(4).succeeded(after(5)).failed(ErrorKind.MALFORMED, after(6))
    assert breaker.allows(after(6))


def test_when_the_wait_is_over_exactly_one_probe_is_let_through():
    breaker = broken()
    decision = breaker.allow(after(34))
    assert (decision.allowed, decision.probe) == (True, True)
    assert breaker.standing(after(34)).state == "waiting"
    probing = breaker.asked(after(34))
    second = probing.allow(after(35))
    assert (second.allowed, second.retry_at) == (False, after(94))
    assert probing.standing(after(35)).state == "waiting"


def test_a_probe_whose_process_died_is_replaced_after_a_minute():
    assert broken().asked(after(34)).allow(after(94)).probe


def test_a_probe_that_succeeds_closes_it():
    breaker = broken().asked(after(34)).succeeded(after(35))
    assert breaker == Breaker()


def test_each_probe_that_fails_doubles_the_wait_up_to_half_an_hour():
    breaker, now, waits = broken(), after(34), []
    for _ in range(9):
        breaker = breaker.asked(now).failed(ErrorKind.UNAVAILABLE, now)
        waits.append((breaker.until - now).total_seconds())
        now = breaker.until
    assert waits == [60, 120, 240, 480, 960, 1800, 1800, 1800, 1800]


def test_jitter_lengthens_a_wait_by_up_to_a_tenth():
    assert broken(jitter=0.5).until == after(4 + 31.5)


@pytest.mark.parametrize("jitter", [-0.1, 1.0, float("nan")])
def test_jitter_outside_its_range_is_a_mistake(jitter):
    with pytest.raises(ValueError, match="Jitter"):
        Breaker().failed(ErrorKind.UNAVAILABLE, NOW, jitter=jitter)


def test_failures_of_older_calls_add_nothing_to_a_wait_that_is_on():
    breaker = broken()
    assert breaker.failed(ErrorKind.UNAVAILABLE, after(6)) == breaker


def test_an_unknown_id_is_an_answer_and_no_failure():
    assert broken(4).failed(ErrorKind.NOT_FOUND, after(5)).failures == ()


def test_a_throttled_provider_is_left_alone_for_exactly_as_long_as_it_told():
    breaker = Breaker().failed(ErrorKind.THROTTLED, NOW, retry_after=17)
    assert not breaker.allows(after(16.999))
    assert breaker.allows(after(17))
    standing = breaker.standing(after(1))
    assert (standing.state, standing.since, standing.retry_at) == ("throttled", NOW, after(17))
    assert breaker.standing(after(17)).state == "waiting"


@pytest.mark.parametrize("told", [None, float("nan")])
def test_a_throttle_without_a_time_lasts_a_minute(told):
    assert Breaker().failed(ErrorKind.THROTTLED, NOW, retry_after=told).until == after(60)


def test_a_time_told_in_the_past_or_beyond_a_day_is_bounded():
    assert Breaker().failed(ErrorKind.THROTTLED, NOW, retry_after=-5).until == NOW
    assert Breaker().failed(ErrorKind.THROTTLED, NOW, retry_after=float("inf")).until == NOW + timedelta(
        days=1
    )


@pytest.mark.parametrize(
    ("told", "waits"),
    [
        (None, [60, 120, 240, 480, 960, 1800, 1800]),
        (7, [7, 30, 60, 120, 240, 480, 960, 1800, 1800]),
        (0, [0, 30, 60, 120]),
        (900, [900, 1800, 1800]),
        (7200, [7200, 7200, 7200]),
    ],
)
def test_a_throttle_that_goes_on_lasts_longer_each_time_and_as_long_as_told_where_that_is_more(told, waits):
    breaker, now, seen = Breaker(), NOW, []
    for _ in waits:
        breaker = breaker.asked(now).failed(ErrorKind.THROTTLED, now, retry_after=told)
        if told != 0:
            again = breaker.failed(ErrorKind.THROTTLED, now, retry_after=told)
            assert again == breaker, "a second refusal of the same tick"
        seen.append((breaker.until - now).total_seconds())
        now = breaker.until
    assert seen == waits
    assert breaker.standing(now).since == NOW
    assert breaker.succeeded(now).failed(ErrorKind.THROTTLED, now).until == now + timedelta(seconds=60)


def test_a_success_of_an_older_call_does_not_lift_what_the_provider_told():
    throttled = Breaker().failed(ErrorKind.THROTTLED, NOW, retry_after=60)
    assert not throttled.succeeded(after(1)).allows(after(2))
    assert throttled.succeeded(after(61)) == Breaker()


def test_a_spent_quota_waits_for_the_next_day_or_month_or_as_told():
    day = Breaker().failed(ErrorKind.QUOTA_SPENT, NOW)
    month = Breaker().failed(ErrorKind.QUOTA_SPENT, NOW, period="month")
    told = Breaker().failed(ErrorKind.QUOTA_SPENT, NOW, retry_after=3600, period="month")
    assert day.until == datetime(2026, 5, 19, tzinfo=UTC)
    assert month.until == datetime(2026, 6, 1, tzinfo=UTC)
    assert told.until == after(3600)
    assert month.standing(NOW).state == "quota_spent"
    assert month.allows(datetime(2026, 6, 1, tzinfo=UTC))


def test_a_throttle_never_shortens_the_wait_for_a_spent_quota():
    spent = Breaker().failed(ErrorKind.QUOTA_SPENT, NOW)
    assert spent.failed(ErrorKind.THROTTLED, after(1), retry_after=5) == spent


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
def test_one_refusal_is_probed_again_with_growing_pauses_of_at_most_half_an_hour(fault, state, sentence):
    breaker, now, waits = Breaker(), NOW, []
    for _ in range(9):
        breaker = breaker.asked(now).failed(fault, now, why="why")
        standing = breaker.standing(now)
        assert (standing.state, standing.since, standing.retry_at) == (state, NOW, breaker.until)
        assert standing.message.text == sentence.format(standing.message.values["retry_at"])
        assert standing.message.values["fault"] == fault.value
        assert not breaker.allows(breaker.until - timedelta(seconds=1))
        waits.append((breaker.until - now).total_seconds())
        now = breaker.until
    assert waits == [30, 60, 120, 240, 480, 960, 1800, 1800, 1800]
    assert breaker.asked(now).succeeded(now) == Breaker()


def test_another_failure_of_a_probe_goes_on_with_the_growing_pauses():
    refused = Breaker().failed(ErrorKind.REFUSED, NOW)
    failed = refused.failed(ErrorKind.UNAVAILABLE, after(30))
    assert (failed.kind, failed.until, failed.since) == ("open", after(90), NOW)


@pytest.mark.parametrize("fault", [ErrorKind.UNAUTHORISED, ErrorKind.REFUSED])
def test_a_refusal_is_probed_at_once_after_a_restart_or_a_changed_configuration(fault):
    breaker = Breaker().configured("a").failed(fault, NOW)
    assert breaker.configured("a") is breaker
    assert not breaker.allows(after(1))
    assert breaker.restarted().allows(after(1))
    assert breaker.configured("b").allows(after(1))
    again = breaker.restarted().failed(fault, after(1))
    assert again.until == after(61), "a restart does not shorten the pauses"


def test_a_restart_lifts_no_wait_that_the_provider_named():
    throttled = Breaker().failed(ErrorKind.THROTTLED, NOW, retry_after=60)
    spent = Breaker().failed(ErrorKind.QUOTA_SPENT, NOW)
    assert (throttled.restarted(), spent.restarted()) == (throttled, spent)


def test_a_refusal_that_an_earlier_version_stored_for_good_is_probed():
    stored = Breaker().failed(ErrorKind.UNAUTHORISED, NOW).to_json() | {"until": None, "wait_seconds": 0}
    del stored["since"]
    breaker = Breaker.from_json(stored)
    assert breaker.allow(NOW).probe
    assert breaker.standing(NOW).message.code == "probing"


def test_what_is_stored_names_no_fault_that_the_version_before_does_not_know():
    assert Breaker().failed(ErrorKind.REFUSED, NOW).to_json()["fault"] is None


@pytest.mark.parametrize(
    ("fault", "code"), [(ErrorKind.THROTTLED, "throttled"), (ErrorKind.QUOTA_SPENT, "quota_spent")]
)
def test_a_wait_that_the_provider_named_is_told_with_its_end(fault, code):
    breaker = Breaker().failed(fault, NOW, retry_after=90, why="slow down")
    message = breaker.standing(after(1)).message
    assert (message.code, message.values["retry_at"]) == (code, "2026-05-18T12:01:30Z")
    assert (message.values["said"], message.values["fault"]) == ("slow down", fault.value)


def test_while_a_probe_is_out_that_is_what_is_told():
    assert broken().standing(after(35)).message.code == "probing"


def test_what_an_earlier_version_stored_of_a_failure_is_told_without_its_kind():
    stored = broken().to_json()
    del stored["fault"]
    assert "fault" not in Breaker.from_json(stored).standing(after(5)).message.values


def test_a_new_configuration_lifts_a_throttle_since_a_key_has_a_limit_of_its_own():
    breaker = Breaker().configured("a").failed(ErrorKind.THROTTLED, NOW, retry_after=60).configured("b")
    assert breaker == Breaker(fingerprint="b")


def test_failures_that_no_longer_count_are_not_where_the_trouble_began():
    breaker = Breaker().failed(ErrorKind.UNAVAILABLE, NOW).failed(ErrorKind.UNAVAILABLE, after(600))
    assert breaker.standing(after(600)).since == after(600)
    assert broken().standing(after(5)).since == NOW


def test_a_new_configuration_forgets_a_spent_quota_and_an_open_breaker():
    assert Breaker().configured("a").failed(ErrorKind.QUOTA_SPENT, NOW).configured("b").allows(NOW)
    assert broken().configured("a").configured("b").allows(after(5))


def test_the_first_configuration_seen_changes_nothing_else():
    assert not broken().configured("a").allows(after(5))


def test_a_fingerprint_tells_parts_apart_and_holds_none_of_them():
    digest = fingerprint("demo", "secret")
    assert digest != fingerprint("demos", "ecret")
    assert digest != fingerprint("demo", None)
    assert "secret" not in digest
    assert len(digest) == 64


def test_the_providers_words_are_kept_short_and_on_one_line():
    breaker = Breaker().failed(ErrorKind.THROTTLED, NOW, why="slow\n down " + "x" * 1000)
    assert breaker.why.startswith("slow down x")
    assert len(breaker.why) == 300


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
def test_over_any_history_storage_changes_nothing_and_waits_stay_bounded(history):
    breaker, now = Breaker(), NOW
    for wait, fault, told, jitter in history:
        now += timedelta(seconds=wait)
        stored = Breaker.from_json(json.loads(json.dumps(breaker.to_json())))
        assert stored == breaker
        decision = breaker.allow(now)
        standing = breaker.standing(now)
        assert decision.allowed or standing.state != "ok"
        assert decision.allowed or decision.retry_at is None or decision.retry_at > now
        assert decision.allowed or now < decision.retry_at <= now + timedelta(days=1, minutes=1)
        breaker = breaker.asked(now)
        if fault is None:
            breaker = breaker.succeeded(now)
        else:
            breaker = breaker.failed(fault, now, retry_after=told, jitter=jitter)
        if breaker.kind in ("open", "unauthorised", "refused"):
            assert breaker.until - now <= LONGEST_WAIT * 1.1
