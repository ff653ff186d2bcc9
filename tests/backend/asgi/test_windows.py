"""Sliding windows: never more than the rate, and whoever waits as told is let through."""

from hypothesis import given
from hypothesis import strategies as st

from backend.asgi.windows import Counts, Rate, Windows

START = 1_800_000_000.0


class Time:
    def __init__(self, at: float = START) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


def taken(windows: Windows, caller: str = "a", *, at_most: int = 10_000) -> int:
    """How many requests in a row are let through."""
    return next(number for number in range(at_most) if not windows.take(caller).allowed)


def test_the_rate_is_let_through_and_not_one_more() -> None:
    windows = Windows(Rate(5, 60), now=Time())
    left = [windows.take("a").remaining for _ in range(5)]
    assert left == [4, 3, 2, 1, 0]
    refused = windows.take("a")
    assert (refused.allowed, refused.remaining) == (False, 0)


def test_callers_are_counted_apart() -> None:
    windows = Windows(Rate(2, 60), now=Time())
    assert taken(windows, "a") == 2
    assert taken(windows, "b") == 2


def test_a_window_that_ends_opens_no_burst() -> None:
    time = Time(START + 59)
    windows = Windows(Rate(60, 60), now=time)
    assert taken(windows) == 60
    time.at = START + 61  # two seconds later, in the next window of the clock
    assert taken(windows) == 1
    time.at = START + 90
    assert taken(windows) == 29


def test_after_two_windows_without_a_request_all_is_forgotten() -> None:
    time = Time()
    windows = Windows(Rate(3, 60), now=time)
    taken(windows)
    time.at += 120
    assert taken(windows) == 3


def test_a_clock_that_goes_back_refuses_nobody_for_long() -> None:
    time = Time()
    windows = Windows(Rate(3, 60), now=time)
    taken(windows)
    time.at -= 3600
    assert windows.take("a").allowed


@given(
    amount=st.integers(1, 40),
    seconds=st.sampled_from([1, 10, 60]),
    steps=st.lists(st.floats(0, 90), max_size=30),
)
def test_whoever_waits_as_told_is_let_through_and_a_second_earlier_is_not(
    amount: int, seconds: int, steps: list[float]
) -> None:
    time = Time()
    windows = Windows(Rate(amount, seconds), now=time)
    for step in steps:
        time.at += step
        windows.take("a")
    told = windows.take("a")
    while told.allowed:
        told = windows.take("a")
    came = time.at
    if told.reset > 1:
        time.at = came + told.reset - 1.001
        assert not windows.take("a").allowed
    time.at = came + told.reset
    assert windows.take("a").allowed


@given(steps=st.lists(st.floats(0, 20), min_size=1, max_size=60))
def test_a_minute_from_its_start_holds_no_more_than_the_rate(steps: list[float]) -> None:
    time = Time()
    windows = Windows(Rate(10, 60), now=time)
    within = 0
    for step in steps:
        time.at += step
        within += time.at < START + 60 and windows.take("a").allowed
    assert within <= 10


def test_a_charge_is_counted_whether_there_is_room_or_not() -> None:
    windows = Windows(Rate(10, 60), now=Time())
    assert windows.charge("a", 7).remaining == 3
    assert windows.charge("a", 7).remaining == 0
    refused = windows.take("a")
    assert not refused.allowed
    assert refused.reset > 60


def test_however_many_callers_there_are_memory_is_bounded() -> None:
    windows = Windows(Rate(10, 60), now=Time(), most_callers=100)
    for number in range(1000):
        assert windows.take(f"caller {number}").allowed
    assert len(windows._current) <= 100


def test_what_all_processes_counted_is_taken_over_and_never_lowers_a_count() -> None:
    windows = Windows(Rate(10, 60), now=Time())
    windows.take("a")
    _, counts = windows.look("a")
    windows.learn("a", counts._replace(current=9))
    assert windows.take("a").remaining == 0
    windows.learn("a", counts._replace(current=2))
    assert not windows.take("a").allowed
    windows.learn("b", Counts(counts.window - 1, 10, 0))  # of a window that has ended
    assert windows.take("b").allowed
