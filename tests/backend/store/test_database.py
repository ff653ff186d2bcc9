"""Types, transactions and upserts, on SQLite and on PostgreSQL."""

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
from tests.support import databases
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


def got(database: Database, column: str) -> object:
    with database.read() as connection:
        return connection.execute(sa.select(things.c[column])).scalar_one()


ONE_STORE = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@ONE_STORE
@given(value=DECIMALS)
def test_a_decimal_comes_back_exactly(stocked: Database, value: Decimal) -> None:
    put(stocked, amount=value)
    found = got(stocked, "amount")
    assert isinstance(found, Decimal)
    assert found == value


@pytest.mark.parametrize(
    "text",
    ["0.1", "1.223e-09", "1E+12", "3.1e-11", "0", "-0.5", "1" * 30, "0." + "0" * 28 + "1", "2693886540498"],
)
def test_decimals_that_a_float_would_spoil_come_back_exactly(stocked: Database, text: str) -> None:
    put(stocked, amount=Decimal(text))
    assert got(stocked, "amount") == Decimal(text)


@ONE_STORE
@given(moment=INSTANTS, zone=ZONES)
def test_an_instant_comes_back_exactly_and_in_utc(
    stocked: Database, moment: datetime, zone: timezone
) -> None:
    put(stocked, at=moment.astimezone(zone))
    found = got(stocked, "at")
    assert isinstance(found, datetime)
    assert found == moment
    assert found.utcoffset() == timedelta(0)


@pytest.mark.parametrize("year", [1, 99, 999, 1000, 1970, 9999])
def test_an_instant_of_any_year_comes_back(stocked: Database, year: int) -> None:
    moment = datetime(year, 3, 1, 2, 3, 4, 5, tzinfo=UTC)
    put(stocked, at=moment)
    assert got(stocked, "at") == moment


@ONE_STORE
@given(one=INSTANTS, other=INSTANTS)
def test_instants_are_compared_by_time_where_they_are_stored(
    stocked: Database, one: datetime, other: datetime
) -> None:
    put(stocked, at=one)
    with stocked.read() as connection:
        later = connection.execute(sa.select(sa.func.count()).where(things.c.at > other)).scalar_one()
    assert bool(later) is (one > other)


def test_an_instant_without_a_time_zone_is_refused(stocked: Database) -> None:
    with pytest.raises(sa.exc.StatementError, match="time zone"):
        put(stocked, at=datetime(2026, 5, 18))  # noqa: DTZ001


def test_nothing_stays_nothing(stocked: Database) -> None:
    put(stocked, amount=None, at=None)
    assert got(stocked, "amount") is None
    assert got(stocked, "at") is None


def test_an_upsert_inserts_what_is_new_and_updates_what_is_known(stocked: Database) -> None:
    with stocked.write() as connection:
        upsert(connection, things, [row("a", 1, "old"), row("a", 2, "other")])
        upsert(connection, things, [row("a", 1, "new"), row("b", 1, "third")])
        upsert(connection, things, [])
    assert rows(stocked) == {("a", 1): "new", ("a", 2): "other", ("b", 1): "third"}


def test_an_upsert_leaves_columns_that_it_does_not_name_or_is_to_keep(stocked: Database) -> None:
    put(stocked, words="first", amount=Decimal(1))
    put(stocked, amount=Decimal(2))
    assert got(stocked, "words") == "first"
    with stocked.write() as connection:
        upsert(
            connection,
            things,
            [{"name": "x", "part": 1, "words": "second", "amount": Decimal(3)}],
            keep=("words",),
        )
    assert (got(stocked, "words"), got(stocked, "amount")) == ("first", Decimal(3))


def test_an_upsert_of_keys_alone_does_nothing_where_they_are_known(stocked: Database) -> None:
    put(stocked, words="first")
    put(stocked)
    assert got(stocked, "words") == "first"


def row(name: str, part: int, words: str) -> dict[str, object]:
    return {"name": name, "part": part, "words": words}


def rows(database: Database) -> dict[tuple[str, int], str]:
    with database.read() as connection:
        return {(item.name, item.part): item.words for item in connection.execute(sa.select(things))}


def test_a_write_that_fails_leaves_nothing(stocked: Database) -> None:
    put(stocked, words="before")
    with contextlib.suppress(ZeroDivisionError), stocked.write() as connection:
        connection.execute(sa.update(things).values(words="within"))
        raise ZeroDivisionError
    assert got(stocked, "words") == "before"


def test_a_write_is_seen_by_others_only_when_it_is_committed(stocked: Database) -> None:
    put(stocked, words="before")
    with stocked.write() as connection:
        connection.execute(sa.update(things).values(words="within"))
        assert got(stocked, "words") == "before"
    assert got(stocked, "words") == "within"


def test_a_snapshot_sees_one_state_however_long_it_lasts(stocked: Database) -> None:
    put(stocked, words="before")
    with stocked.snapshot() as reading:
        first = reading.execute(sa.select(things.c.words)).scalar_one()
        put(stocked, words="after")
        assert reading.execute(sa.select(things.c.words)).scalar_one() == first == "before"
    assert got(stocked, "words") == "after"


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


def test_writes_that_read_first_wait_for_each_other_and_lose_nothing(stocked: Database) -> None:
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
    assert got(stocked, "amount") == Decimal(40)


def test_counters_grow_by_one_for_each_change_whoever_makes_it(database: Database) -> None:
    def change() -> None:
        for _ in range(15):
            with database.write() as connection:
                bump(connection, "topic")

    assert in_threads(3, change) == []
    with database.read() as connection:
        assert connection.execute(sa.select(change_counters.c.n)).scalar_one() == 45


def test_a_database_that_answers_is_pinged_without_a_word(database: Database) -> None:
    database.ping()


def test_the_folder_of_an_sqlite_file_is_made_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "home"
    opened = Database(f"sqlite:///{folder / 'chainproof.db'}")
    opened.ping()
    opened.dispose()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_statement_that_is_not_answered_in_time_fails_and_the_next_one_has_a_new_line(
    tmp_path: Path,
) -> None:
    with databases.create_database("postgres", tmp_path) as url:
        impatient = Database(url, statement_seconds=0.2)
        with pytest.raises(sa.exc.OperationalError), impatient.read() as connection:
            connection.execute(sa.text("SELECT pg_sleep(30)"))
        wait_for(partial(answers, impatient), "An answer on a new line")  # which takes its time to be made
        impatient.dispose()


def answers(database: Database) -> bool:
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


def session(connection: sa.Connection) -> int:
    """The number by which PostgreSQL knows it."""
    return int(connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one())


def test_a_read_holds_no_transaction_open_on_postgresql(postgres: Database) -> None:
    look = sa.text("SELECT state FROM pg_stat_activity WHERE pid = :pid")
    with postgres.read() as reading, postgres.read() as other:
        assert other.execute(look, {"pid": session(reading)}).scalar_one() == "idle"
        with postgres.snapshot() as lasting:
            assert other.execute(look, {"pid": session(lasting)}).scalar_one() == "idle in transaction"


def test_sessions_that_postgresql_has_ended_fail_nobody(postgres: Database) -> None:
    with postgres.read() as one, postgres.read() as other:
        ended = {session(one), session(other)}
    administrator = Database(postgres.url)
    with administrator.read() as connection:
        for number in ended:  # waits until it is gone
            connection.execute(sa.text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": number})
    administrator.dispose()
    with postgres.read() as one, postgres.write() as other:
        assert not ended & {session(one), session(other)}
