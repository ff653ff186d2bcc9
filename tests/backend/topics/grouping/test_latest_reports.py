"""The reports that tell the latest state of an event."""

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.topics.grouping.extractive_summary import summarize
from backend.topics.grouping.latest_reports import MIN_GAP, select_latest
from tests.backend.topics.grouping.conftest import Make

DAY = 24 * 60
HEADED = "Quillport holders will adopt the fee by a wide margin"
FAILED = "Quillport fee fails for want of a quorum"


def test_reports_behind_a_gap_tell_the_latest_state(make: Make) -> None:
    first, second, late = make(HEADED), make(HEADED, minutes=90), make(FAILED, minutes=2 * DAY)
    assert select_latest([late, second, first]) == [late]


def test_reports_of_one_day_all_count(make: Make) -> None:
    reports = [make(HEADED, minutes=minutes) for minutes in (0, 300, 900)]
    assert select_latest(reports) == reports


def test_one_late_report_of_many_is_a_detail(make: Make) -> None:
    reports = [make(HEADED, minutes=minutes) for minutes in (0, 10, 20, 30)]
    late = make("Quillport founder thanks voters for their trust", minutes=2 * DAY)
    assert select_latest([*reports, late]) == [*reports, late]


def test_a_late_commentary_tells_no_new_state(make: Make) -> None:
    report, guide = make(HEADED), make("Quillport: seven points for holders of the token", minutes=2 * DAY)
    assert select_latest([report, guide]) == [report, guide]


@given(st.lists(st.integers(0, 10 * DAY), min_size=1, max_size=9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_latest_reports_are_a_tail_that_no_gap_divides(make: Make, minutes: list[int]) -> None:
    reports = [make(HEADED, minutes=at) for at in minutes]
    latest = select_latest(reports)
    in_order = sorted(reports, key=lambda report: report.published_at)
    assert latest == in_order[-len(latest) :]
    is_divided = any(
        later.published_at - former.published_at >= MIN_GAP for former, later in pairwise(latest)
    )
    assert not is_divided or latest == in_order


def test_the_title_and_the_summary_tell_the_latest_state(make: Make) -> None:
    first = make(HEADED, text="Holders of Quillport will adopt the fee, with 92% of votes in favor so far.")
    late = make(FAILED, minutes=2 * DAY, text="The fee of Quillport has failed with 38 million votes of 40.")
    quoted = summarize([first, late], frozenset(), "en")
    assert quoted.title.text == FAILED
    assert {quote.member for quote in quoted.quotes} == {late}


def test_an_official_source_keeps_the_title(make: Make) -> None:
    official = make(
        "Quillport adopts a fee for its pools", text="Quillport adopts a fee for its pools today."
    )
    late = make(FAILED, minutes=2 * DAY, text="The fee of Quillport has failed with 38 million votes of 40.")
    assert summarize([official, late], frozenset({official.id}), "en").title.member is official


def test_an_earlier_report_of_the_same_act_still_counts(make: Make) -> None:
    planned = make("Quillport council to vote on fee for holders")
    told = make("Quillport council rejects fee for holders", minutes=90)
    late = make("Quillport council votes down fee for holders", minutes=2 * DAY)
    assert select_latest([planned, told, late]) == [told, late]
