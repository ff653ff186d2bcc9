"""Queries for stored runs."""

from backend.timelines import run_queries
from backend.timelines.selection import Selection, build_query
from tests.support.runs.timeline_app import TimelinesApp, build_run_json

INSTRUCTIONS = 50
"""Of SQLite's machine: several for each row that it looks at."""


def test_runs_of_a_case_are_found_by_an_index(
    sqlite_service: TimelinesApp,
) -> None:
    sqlite_service.add("one", *(build_run_json(f"{n}", n % 60, case_id=f"case {n}") for n in range(600)))
    timeline = sqlite_service.timelines.states.read().timelines["one"]
    looks = 0

    def count() -> None:
        nonlocal looks
        looks += 1

    with sqlite_service.database.read() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(count, INSTRUCTIONS)
        try:
            of_one = run_queries.load_run_responses(
                connection, build_query(timeline, Selection(case_id="case 7"))
            )
            looks_of_one, looks = looks, 0
            of_all = run_queries.load_run_responses(connection, build_query(timeline, Selection()))
        finally:
            driver.set_progress_handler(None, INSTRUCTIONS)
    assert (len(of_one), len(of_all)) == (1, 600)
    assert looks_of_one * 10 < looks
