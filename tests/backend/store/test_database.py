"""Tests types, transactions and upserts, on SQLite and PostgreSQL."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.store.database import Database, ExactDecimal, UtcTime, bump, change_counters, upsert
from tests.support.store import databases
from tests.support.waiting import LIMIT_SECONDS, wait_for

things = sa.Table(
    "test_things",
    sa.MetaData(),
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("part", sa.Integer, primary_key=True),
    sa.Column("amount", ExactDecimal),
    sa.Column("at", UtcTime),
    sa.Column("words", sa.Text),
)

DECIMALS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=Decimal("-1e30"), max_value=Decimal("1e30")),
    st.builds(
        lambda digits, exponent: Decimal(digits).scaleb(exponent),
        st.integers(-(10**28), 10**28),
        st.integers(-40, 5),
    ),
).filter(lambda value: -40 <= int(value.as_tuple().exponent) <= 30)
INSTANTS = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@pytest.fixture
def stocked(database: Database) -> Database:
    things.metadata.create_all(database.engine)
    return database


def put(database: Database, **values: object) -> None:
    with database.write() as connection:
        upsert(connection, things, [{"name": "x", "part": 1} | values])


def load_value(database: Database, column: str) -> object:
    with database.read() as connection:
        return connection.execute(sa.select(things.c[column])).scalar_one()


ONE_STORE = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@ONE_STORE
@given(value=DECIMALS)
def test_decimal_round_trips_exactly(stocked: Database, value: Decimal) -> None:
    put(stocked, amount=value)
    found = load_value(stocked, "amount")
    assert isinstance(found, Decimal)
    assert found == value


@pytest.mark.parametrize(
    "text",
    ["0.1", "1.223e-09", "1E+12", "3.1e-11", "0", "-0.5", "1" * 30, "0." + "0" * 28 + "1", "2693886540498"],
)
def test_decimals_that_a_float_cannot_represent_round_trip_exactly(stocked: Database, text: str) -> None:
    put(stocked, amount=Decimal(text))
    assert load_value(stocked, "amount") == Decimal(text)


@ONE_STORE
@given(moment=INSTANTS, zone=ZONES)
def test_timestamp_round_trips_exactly_in_utc(stocked: Database, moment: datetime, zone: timezone) -> None:
    put(stocked, at=moment.astimezone(zone))
    found = load_value(stocked, "at")
    assert isinstance(found, datetime)
    assert found == moment
    assert found.utcoffset() == timedelta(0)


@pytest.mark.parametrize("year", [1, 99, 999, 1000, 1970, 9999])
def test_timestamp_of_any_year_round_trips(stocked: Database, year: int) -> None:
    moment = datetime(year, 3, 1, 2, 3, 4, 5, tzinfo=UTC)
    put(stocked, at=moment)
    assert load_value(stocked, "at") == moment


@ONE_STORE
@given(stored=INSTANTS, compared=INSTANTS)
def test_stored_timestamps_are_compared_by_time(
    stocked: Database, stored: datetime, compared: datetime
) -> None:
    put(stocked, at=stored)
    with stocked.read() as connection:
        later = connection.execute(sa.select(sa.func.count()).where(things.c.at > compared)).scalar_one()
    assert bool(later) is (stored > compared)


def test_timestamp_without_a_time_zone_is_rejected(stocked: Database) -> None:
    with pytest.raises(sa.exc.StatementError, match="time zone"):
        put(stocked, at=datetime(2026, 5, 18))  # noqa: DTZ001


def test_null_values_round_trip(stocked: Database) -> None:
    put(stocked, amount=None, at=None)
    assert load_value(stocked, "amount") is None
    assert load_value(stocked, "at") is None


def test_upsert_inserts_new_rows_and_updates_existing_ones(stocked: Database) -> None:
    with stocked.write() as connection:
        upsert(connection, things, [row("a", 1, "old"), row("a", 2, "other")])
        upsert(connection, things, [row("a", 1, "new"), row("b", 1, "third")])
        upsert(connection, things, [])
    assert rows(stocked) == {("a", 1): "new", ("a", 2): "other", ("b", 1): "third"}


def test_upsert_keeps_unnamed_and_protected_columns(stocked: Database) -> None:
    put(stocked, words="first", amount=Decimal(1))
    put(stocked, amount=Decimal(2))
    assert load_value(stocked, "words") == "first"
    with stocked.write() as connection:
        upsert(
            connection,
            things,
            [{"name": "x", "part": 1, "words": "second", "amount": Decimal(3)}],
            keep=("words",),
        )
    assert (load_value(stocked, "words"), load_value(stocked, "amount")) == ("first", Decimal(3))


def test_upsert_with_only_key_columns_keeps_existing_rows(stocked: Database) -> None:
    put(stocked, words="first")
    put(stocked)
    assert load_value(stocked, "words") == "first"


def row(name: str, part: int, words: str) -> dict[str, object]:
    return {"name": name, "part": part, "words": words}


def rows(database: Database) -> dict[tuple[str, int], str]:
    with database.read() as connection:
        return {(item.name, item.part): item.words for item in connection.execute(sa.select(things))}


def test_failed_write_is_rolled_back(stocked: Database) -> None:
    put(stocked, words="before")
    with contextlib.suppress(ZeroDivisionError), stocked.write() as connection:
        connection.execute(sa.update(things).values(words="within"))
        raise ZeroDivisionError
    assert load_value(stocked, "words") == "before"


def test_write_is_visible_to_others_only_after_commit(stocked: Database) -> None:
    put(stocked, words="before")
    with stocked.write() as connection:
        connection.execute(sa.update(things).values(words="within"))
        assert load_value(stocked, "words") == "before"
    assert load_value(stocked, "words") == "within"


def test_snapshot_reads_one_consistent_state(stocked: Database) -> None:
    put(stocked, words="before")
    with stocked.snapshot() as reading:
        first = reading.execute(sa.select(things.c.words)).scalar_one()
        put(stocked, words="after")
        assert reading.execute(sa.select(things.c.words)).scalar_one() == first == "before"
    assert load_value(stocked, "words") == "after"


def in_threads(count: int, work: Callable[[], None]) -> list[Exception]:
    """Run ``work`` in so many threads at once; gives what they raised."""
    faults: list[Exception] = []
    begin = threading.Barrier(count)

    def run() -> None:
        begin.wait(LIMIT_SECONDS)
        try:
            work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test tells it
            faults.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_SECONDS)
    return faults


def test_concurrent_read_modify_writes_are_serialized_without_lost_updates(stocked: Database) -> None:
    put(stocked, amount=Decimal(0))

    def add() -> None:
        for _ in range(20):
            with stocked.write() as connection:
                query = sa.select(things.c.amount)
                if not stocked.is_sqlite:
                    query = query.with_for_update()
                amount = connection.execute(query).scalar_one()
                connection.execute(sa.update(things).values(amount=amount + 1))

    assert in_threads(2, add) == []
    assert load_value(stocked, "amount") == Decimal(40)


def test_concurrent_changes_each_increment_the_counter_by_one(database: Database) -> None:
    def change() -> None:
        for _ in range(15):
            with database.write() as connection:
                bump(connection, "topic")

    assert in_threads(3, change) == []
    with database.read() as connection:
        assert connection.execute(sa.select(change_counters.c.n)).scalar_one() == 45


def test_ping_succeeds_when_the_database_responds(database: Database) -> None:
    database.ping()


def test_folder_of_a_new_sqlite_file_is_created_with_private_permissions(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "home"
    opened = Database(f"sqlite:///{folder / 'chainproof.db'}")
    opened.ping()
    opened.dispose()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_timed_out_statement_fails_and_the_next_one_uses_a_new_connection(
    tmp_path: Path,
) -> None:
    with databases.create_database("postgres", tmp_path) as url:
        impatient = Database(url, statement_seconds=0.2)
        with pytest.raises(sa.exc.OperationalError), impatient.read() as connection:
            connection.execute(sa.text("SELECT pg_sleep(30)"))
        wait_for(
            partial(is_reachable, impatient), "An answer on a new line"
        )  # which takes its time to be made
        impatient.dispose()


def is_reachable(database: Database) -> bool:
    try:
        database.ping()
    except sa.exc.OperationalError:
        return False
    return True


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[Database]:
    with databases.create_database("postgres", tmp_path) as url:
        opened = Database(url)
        yield opened
        opened.dispose()


def get_session_id(connection: sa.Connection) -> int:
    """The number by which PostgreSQL knows it."""
    return int(connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one())


def test_a_read_holds_no_transaction_open_on_postgresql(postgres: Database) -> None:
    query = sa.text("SELECT state FROM pg_stat_activity WHERE pid = :pid")
    with postgres.read() as reading, postgres.read() as other_connection:
        assert other_connection.execute(query, {"pid": get_session_id(reading)}).scalar_one() == "idle"
        with postgres.snapshot() as lasting:
            assert (
                other_connection.execute(query, {"pid": get_session_id(lasting)}).scalar_one()
                == "idle in transaction"
            )


def test_connections_terminated_by_postgresql_are_replaced(postgres: Database) -> None:
    with postgres.read() as first, postgres.read() as second:
        ended = {get_session_id(first), get_session_id(second)}
    administrator = Database(postgres.url)
    with administrator.read() as connection:
        for number in ended:  # waits until it is gone
            connection.execute(sa.text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": number})
    administrator.dispose()
    with postgres.read() as first, postgres.write() as second:
        assert not ended & {get_session_id(first), get_session_id(second)}


@pytest.mark.parametrize(
    "code",
    ["25006", "42501"],
    ids=["the server is read-only", "the disk is read-only"],
)
def test_refused_changes_are_failures_of_the_store(postgres: Database, code: str) -> None:
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'Read-only file system' USING ERRCODE = '{code}'; END $$"
    with pytest.raises(sa.exc.OperationalError, match="Read-only"), postgres.write() as connection:
        connection.execute(sa.text(raising))
    with postgres.read() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1
