"""Polling hints of feeds and their hosts."""

from datetime import UTC, datetime, timedelta

import pytest
from lxml import etree

from backend.topics.feeds.polling_interval import (
    NO_HINTS,
    PollingHints,
    compute_next_poll,
    parse_cache_time,
    parse_polling_hints,
    parse_retry_after,
)

NOON = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)  # a Monday
TEN = timedelta(minutes=10)


def text_value(inside: str) -> PollingHints:
    return parse_polling_hints(
        etree.fromstring(f"<rss version='2.0'><channel><title>A</title>{inside}</channel></rss>")
    )


def test_ttl_and_skipped_hours_and_days_are_parsed() -> None:
    hours = "<skipHours><hour>0</hour><hour> 24 </hour><hour>7</hour><hour>99</hour><hour/></skipHours>"
    days = "<skipDays><day>Sunday</day><day>saturday</day><day>Caturday</day></skipDays>"
    assert text_value(f"<ttl> 60 </ttl>{hours}{days}") == PollingHints(
        60, frozenset({0, 7}), frozenset({5, 6})
    )


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "<ttl>soon</ttl>",
        "<ttl>-5</ttl>",
        "<ttl>99999999999999999999</ttl>",
        "<skipDays>every</skipDays>",
        f"<skipHours>{''.join(f'<hour>{n}</hour>' for n in range(24))}</skipHours>",
        "<skipDays><day>Monday</day><day>Tuesday</day><day>Wednesday</day><day>Thursday</day>"
        "<day>Friday</day><day>Saturday</day><day>Sunday</day></skipDays>",
        "<item><ttl>60</ttl></item>",
    ],
)
def test_implausible_hints_are_ignored(inside: str) -> None:
    assert text_value(inside) == NO_HINTS


def test_atom_has_no_hints_and_rdf_has_them_in_its_namespace() -> None:
    atom = "<feed xmlns='http://www.w3.org/2005/Atom'><ttl>60</ttl></feed>"
    assert parse_polling_hints(etree.fromstring(atom)) == NO_HINTS
    rdf = "<rdf:RDF xmlns:rdf='http://r/' xmlns='http://purl.org/rss/1.0/'><channel><ttl>5</ttl></channel></rdf:RDF>"
    assert parse_polling_hints(etree.fromstring(rdf)).ttl_minutes == 5


def test_hints_survive_json() -> None:
    pace = PollingHints(60, frozenset({23, 1}), frozenset({6}))
    assert PollingHints.from_json(pace.to_json()) == pace
    assert PollingHints.from_json(None) == NO_HINTS


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0),
        ({"cache-control": "public, max-age=300"}, 300),
        ({"cache-control": 'Max-Age="300"', "age": "100"}, 200),
        ({"cache-control": "max-age=300", "age": "900"}, 0),
        ({"cache-control": "max-age=300", "age": "long"}, 300),
        ({"cache-control": "no-cache, max-age=300"}, 0),
        ({"cache-control": "s-maxage=300"}, 0),
        ({"cache-control": "max-age=-3"}, 0),
    ],
)
def test_the_cache_time_comes_from_the_headers(headers: dict[str, str], seconds: int) -> None:
    assert parse_cache_time(headers) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("120", timedelta(minutes=2)),
        ("0", timedelta()),
        ("Mon, 18 May 2026 13:00:00 GMT", timedelta(hours=1)),
        ("Mon, 18 May 2026 13:00:00", timedelta(hours=1)),
        ("Mon, 18 May 2026 11:00:00 GMT", timedelta()),
        ("999999999", timedelta(hours=24)),
        ("Mon, 18 May 2099 13:00:00 GMT", timedelta(hours=24)),
        ("later", None),
        ("-5", None),
        ("", None),
        ("99999999999999999999999", None),
    ],
)
def test_retry_after_is_parsed_up_to_a_day(text: str, wait: timedelta | None) -> None:
    assert parse_retry_after({"retry-after": text}, NOON) == wait


def test_the_longest_of_interval_ttl_and_cache_time_counts_up_to_six_hours() -> None:
    def wait(ttl: int = 0, cache_time: float = 0) -> timedelta:
        return compute_next_poll(NOON, TEN, PollingHints(ttl), timedelta(minutes=cache_time)) - NOON

    assert (wait(), wait(ttl=5), wait(ttl=30), wait(ttl=30, cache_time=45)) == (
        TEN,
        TEN,
        timedelta(minutes=30),
        timedelta(minutes=45),
    )
    assert wait(ttl=10_000) == timedelta(hours=6)
    assert compute_next_poll(NOON, timedelta(hours=24), PollingHints(), timedelta()) == NOON + timedelta(
        hours=24
    )


def test_skipped_hours_and_days_delay_a_poll_by_at_most_a_day() -> None:
    def due(now: datetime, *hours: int, days: frozenset[int] = frozenset()) -> datetime:
        return compute_next_poll(now, TEN, PollingHints(0, frozenset(hours), days), timedelta())

    assert due(NOON, 13) == NOON + TEN
    assert due(NOON, 12, 13) == NOON + timedelta(hours=2)
    assert due(NOON.replace(hour=23, minute=55), 0, 1) == NOON.replace(day=19, hour=2)
    sunday = NOON.replace(day=17, hour=20)
    assert due(sunday, days=frozenset({5, 6})) == NOON.replace(hour=0)
    assert due(NOON, days=frozenset(range(6))) == NOON + timedelta(hours=24)
