"""Tests that all processes together allow no more sign-in attempts per minute than documented."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from backend.auth.oauth import login_throttle
from backend.auth.oauth.tables import guesses as stored
from backend.store.database import Database

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def count_attempt(
    database: Database, name: str = "ada", client_ip: str = "192.0.2.1", after: float = 0
) -> int | None:
    return login_throttle.count_attempt(
        database, username_key=name, client_ip=client_ip, now=NOW + timedelta(seconds=after)
    )


def test_ten_attempts_per_minute_are_allowed_for_an_account_from_any_address(database: Database) -> None:
    for number in range(10):
        assert count_attempt(database, client_ip=f"192.0.2.{number}", after=number) is None
    assert count_attempt(database, client_ip="192.0.2.99", after=10) == 50
    assert count_attempt(database, "grace", after=10) is None
    assert count_attempt(database, after=59.5) == 1
    assert count_attempt(database, after=60) is None
    assert count_attempt(database, after=60) == 1
    assert count_attempt(database, after=61) is None


def test_hundred_attempts_per_minute_are_allowed_for_an_address_with_any_username(
    sqlite_database: Database,
) -> None:
    for number in range(100):
        assert count_attempt(sqlite_database, f"name-{number}", after=number / 10) is None
    assert count_attempt(sqlite_database, "another", after=10) == 50
    assert count_attempt(sqlite_database, "another", "192.0.2.2", after=10) is None
    assert count_attempt(sqlite_database, "another", after=60.1) is None


def test_throttled_attempt_does_not_extend_the_wait(sqlite_database: Database) -> None:
    for _ in range(10):
        count_attempt(sqlite_database)
    assert [count_attempt(sqlite_database, after=after) for after in (1, 2, 3, 59)] == [59, 58, 57, 1]
    assert count_attempt(sqlite_database, after=60) is None


def test_attempts_with_future_timestamps_do_not_throttle_after_a_clock_rollback(
    sqlite_database: Database,
) -> None:
    ahead = timedelta(days=40).total_seconds()
    for _ in range(10):
        assert count_attempt(sqlite_database, after=ahead) is None
    assert count_attempt(sqlite_database, after=ahead) == 60
    assert count_attempt(sqlite_database) is None


@pytest.mark.parametrize(
    ("first_address", "second_address", "is_same_group"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("testclient", "", True),
    ],
)
def test_addresses_of_one_caller_are_grouped(
    first_address: str, second_address: str, is_same_group: bool
) -> None:
    assert (
        login_throttle._group_client_ip(first_address) == login_throttle._group_client_ip(second_address)
    ) is is_same_group


def test_simultaneous_attempts_are_counted_one_by_one(database: Database) -> None:
    with ThreadPoolExecutor(16) as pool:
        waits = list(pool.map(lambda _: count_attempt(database), range(16)))
    assert waits.count(None) == 10


def test_expired_attempts_are_deleted_and_usernames_are_not_stored(sqlite_database: Database) -> None:
    count_attempt(sqlite_database, "a-password-typed-as-a-name")
    count_attempt(sqlite_database, after=30)
    assert login_throttle.delete_expired(sqlite_database, NOW + timedelta(seconds=60)) == 2
    with sqlite_database.read() as connection:
        rows = connection.execute(sa.select(stored)).all()
    assert len(rows) == 2
    values = [value for row in rows for value in row]
    assert "ada" not in values
    assert "a-password-typed-as-a-name" not in values
