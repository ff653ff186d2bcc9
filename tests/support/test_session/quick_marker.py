"""Marks the tests that ``make test-quick`` runs: unit tests and the tests of the dashboard's pages."""

import pytest

SLOW_FIXTURES = {
    "browser",
    "database",
    "database_url",
    "empty_database_url",
    "sqlite_database",
    "tmp_path",
    "tmp_path_factory",
}
"""A unit test uses no browser, no database and no disk."""


def mark(item: pytest.Item) -> None:
    """Add the marker ``quick`` to unit tests and page tests."""
    if item.get_closest_marker("browser") or item.get_closest_marker("processes"):
        return
    is_page_test = item.nodeid.startswith("tests/dashboard/")
    is_unit_test = item.nodeid.startswith("tests/backend/") and SLOW_FIXTURES.isdisjoint(
        getattr(item, "fixturenames", ())
    )
    if is_page_test or is_unit_test:
        item.add_marker("quick")
