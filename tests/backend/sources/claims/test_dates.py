"""Dates of three languages, as the days that they may mean."""

from calendar import month_name
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.sources.claims import dates, numbers, quantities
from backend.sources.claims.dates import build_record_date, can_agree, find_dates

DAYS = st.dates(min_value=date(1990, 1, 1), max_value=date(2059, 12, 31))
MONTHS = list(month_name)[1:]


def _notations(day: date) -> list[str]:
    month = MONTHS[day.month - 1]
    written = [
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day}th of {month[:3]}. {day.year}" if month != "May" else f"{day.day} May {day.year}",
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day:%Y-%m-%d}T00:09:27Z",
    ]
    if day.year > 2019:
        written.append(f"令和{day.year - 2018}年{day.month}月{day.day}日")
    if day.day > 12:
        written += [f"{day.day}/{day.month:02}/{day.year}", f"{day.month:02}/{day.day}/{day.year}"]
    return written


@given(DAYS, st.data(), st.sampled_from(["{}", "On {}, it fell.", "它于{}发生", "（{}）", "SEC，{}，批准"]))
def test_a_date_is_parsed_from_every_notation(day: date, data: st.DataObject, frame: str) -> None:
    text = numbers.normalize(frame.format(data.draw(st.sampled_from(_notations(day)))))
    (found,) = find_dates(text)
    assert (found.first, found.last, found.precision, found.other) == (day, day, "day", None)
    assert quantities.find_quantities(text, "en", [found]) == []


@pytest.mark.parametrize(
    ("text", "first", "last", "precision"),
    [
        ("the April 2024 halving", date(2024, 4, 1), date(2024, 4, 30), "month"),
        ("25年3月に", date(2025, 3, 1), date(2025, 3, 31), "month"),
        ("19年春以降", date(2019, 1, 1), date(2019, 12, 31), "year"),
        ("24年第2四半期", date(2024, 4, 1), date(2024, 6, 30), "quarter"),
        ("in mid-2019", date(2019, 1, 1), date(2019, 12, 31), "year"),
        ("in early 2024", date(2024, 1, 1), date(2024, 12, 31), "year"),
        ("Q2 2024", date(2024, 4, 1), date(2024, 6, 30), "quarter"),
        ("2024年第2四半期", date(2024, 4, 1), date(2024, 6, 30), "quarter"),
        ("2024年二季度", date(2024, 4, 1), date(2024, 6, 30), "quarter"),
        ("2024年上半年", date(2024, 1, 1), date(2024, 6, 30), "quarter"),
        ("平成元年5月", date(1989, 5, 1), date(1989, 5, 31), "month"),
        ("二〇二四年四月二十日", date(2024, 4, 20), date(2024, 4, 20), "day"),
        ("10-12 April 2024", date(2024, 4, 10), date(2024, 4, 12), "day"),
        ("２０２４年４月", date(2024, 4, 1), date(2024, 4, 30), "month"),
    ],
)
def test_a_less_precise_date_spans_all_its_days(text: str, first: date, last: date, precision: str) -> None:
    (found,) = find_dates(numbers.normalize(text))
    assert (found.first, found.last, found.precision) == (first, last, precision)


def test_a_month_and_year_is_not_read_as_a_figure() -> None:
    text = "the April 2024 halving"
    assert quantities.find_quantities(text, "en", find_dates(text)) == []


def test_an_ambiguous_numeric_date_keeps_both_readings() -> None:
    (found,) = find_dates("04/05/2024")
    assert {found.first, found.other} == {date(2024, 5, 4), date(2024, 4, 5)}
    (apart,) = find_dates("5 April 2024")
    assert can_agree(found, apart)


@pytest.mark.parametrize(
    "text",
    [
        "FIN-2013-G001",
        "Release No. 34-80206",
        "2022-219",
        "2013/1114",
        "sold 2020 BTC",
        "$2024",
        "32/13/2024",
    ],
)
def test_references_and_amounts_are_no_dates(text: str) -> None:
    assert find_dates(text) == []


@pytest.mark.parametrize(
    ("text", "reference", "first"),
    [
        ("4月20日に", date(2024, 5, 1), date(2024, 4, 20)),
        ("on 28 December", date(2024, 1, 3), date(2023, 12, 28)),
        ("昨日", date(2024, 3, 1), date(2024, 2, 29)),
        ("yesterday", date(2024, 3, 1), date(2024, 2, 29)),
        ("去年10月", date(2024, 3, 1), date(2023, 10, 1)),
        ("last month", date(2024, 1, 15), date(2023, 12, 1)),
    ],
)
def test_a_reference_date_completes_a_partial_date(text: str, reference: date, first: date) -> None:
    assert [span.first for span in find_dates(text, reference)] == [first]


def test_without_a_reference_date_a_day_has_no_year_and_yesterday_is_ignored() -> None:
    (found,) = find_dates("on 20 April")
    assert found.yearless
    assert can_agree(found, find_dates("2024-04-20")[0])
    assert not can_agree(found, find_dates("2024-04-21")[0])
    assert find_dates("yesterday, 昨天") == []


def test_a_day_without_a_year_takes_the_year_of_the_previous_date() -> None:
    assert [span.first for span in find_dates("dated 15 September 2021 and published on 24 September")] == [
        date(2021, 9, 15),
        date(2021, 9, 24),
    ]


@given(DAYS, DAYS)
def test_dates_agree_symmetrically_if_they_are_equal(one: date, other: date) -> None:
    first, second = find_dates(one.isoformat())[0], find_dates(other.isoformat())[0]
    assert can_agree(first, second) is can_agree(second, first) is (one == other)
    assert can_agree(first, find_dates(f"{one.year}年{one.month}月")[0])


def test_a_record_with_day_precision_matches_only_that_day() -> None:
    record = build_record_date(datetime(2024, 4, 20, tzinfo=UTC), "day")
    assert record is not None
    assert can_agree(find_dates("April 2024")[0], record)
    assert not can_agree(find_dates("2024-04-21")[0], record)
    assert not can_agree(find_dates("2024-04-19")[0], record)


def test_a_record_near_midnight_matches_both_adjacent_days() -> None:
    record = build_record_date(datetime(2024, 4, 20, 0, 9, 27, tzinfo=UTC), "second")
    assert record is not None
    assert can_agree(find_dates("19 April 2024")[0], record)
    assert can_agree(find_dates("20 April 2024")[0], record)
    assert not can_agree(find_dates("21 April 2024")[0], record)


@given(st.text(alphabet="0123456789年月日/-. AprilMayQ令和年四", max_size=60))
def test_dates_lie_within_any_text(text: str) -> None:
    for span in dates.find_dates(text):
        assert 0 <= span.start < span.end <= len(text)
        assert span.first <= span.last


def test_a_month_range_is_one_span() -> None:
    span = find_dates(numbers.normalize("テスラは2022年4〜6月期に売却した"))[0]
    assert (span.first, span.last, span.precision) == (date(2022, 4, 1), date(2022, 6, 30), "quarter")


def test_a_day_before_the_date_in_front_of_it_may_be_in_the_next_year() -> None:
    _, leaves = dates.find_dates("In November 2024 he said he would leave on 20 January.")
    assert leaves.other == date(2025, 1, 20)
    _, later = dates.find_dates("In May 2021 it fell, and on 24 June it rose.")
    assert later.other is None
