import dataclasses
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from backend.auth import key_format, service
from backend.auth.api_keys import CreatedKey, KeyInfo
from backend.auth.tables import api_keys
from backend.errors import BadRequest, NotFound
from backend.store.database import Database, change_counters

HOUR = timedelta(hours=1)
UNKNOWN = "cp_livev1" + "0" * 32 + "_" + key_format.checksum("cp_livev1" + "0" * 32)


def read_change_counter(database: Database) -> int:
    with database.read() as connection:
        query = sa.select(change_counters.c.n).where(change_counters.c.topic == "api_keys")
        return connection.execute(query).scalar() or 0


def create(database: Database, now: datetime, **options: Any) -> CreatedKey:
    return service.create_key(database, now=now, **{"name": "desk", "scopes": ["read"], **options})


def insert(database: Database, now: datetime, key_id: str) -> None:
    with database.write() as connection:
        connection.execute(
            sa.insert(api_keys).values(
                id=key_id,
                name="desk",
                kind="api",
                env="live",
                digest=key_format.digest(key_id),
                scopes="read",
                created_at=now,
            )
        )


def test_created_key_is_returned_once_and_stored_only_as_a_digest(database: Database, now: datetime) -> None:
    created = create(database, now)
    assert key_format.parse(created.key) == key_format.ParsedKey(env="live", terminal=False)
    with database.read() as connection:
        row = connection.execute(sa.select(api_keys)).one()
    assert row.digest == key_format.digest(created.key)
    assert created.key not in str(row)
    assert created.key.split("_")[1].removeprefix("livev1") not in str(row)


def test_created_key_is_hidden_in_repr(database: Database, now: datetime) -> None:
    created = create(database, now)
    assert created.key not in repr(created)


def test_created_key_is_listed_with_all_its_metadata(database: Database, now: datetime) -> None:
    created = create(
        database, now, name=" trading desk ", scopes=["ingest", "read"], env="test", expires_in=HOUR
    )
    assert service.list_keys(database) == [created.info]
    assert created.info == KeyInfo(
        id=created.info.id,
        name="trading desk",
        kind="api",
        env="test",
        scopes=("read", "ingest"),
        created_at=now,
        expires_at=now + HOUR,
        last_used_at=None,
        revoked_at=None,
    )


def test_created_key_json_contains_key_and_metadata(database: Database, now: datetime) -> None:
    created = create(database, now, expires_in=timedelta(days=90))
    assert created.to_json(now) == {
        "id": created.info.id,
        "key": created.key,
        "name": "desk",
        "kind": "api",
        "env": "live",
        "scopes": ["read"],
        "state": "active",
        "created_at": "2026-05-18T12:00:00Z",
        "expires_at": "2026-08-16T12:00:00Z",
        "last_used_at": None,
        "revoked_at": None,
    }
    assert "key" not in created.info.to_json(now)


def test_keys_are_listed_oldest_first(database: Database, now: datetime) -> None:
    for hours, name in ((2, "third"), (0, "first"), (1, "second")):
        create(database, now + hours * HOUR, name=name)
    assert [key.name for key in service.list_keys(database)] == ["first", "second", "third"]


def test_key_is_expired_from_its_exact_expiry_time(database: Database, now: datetime) -> None:
    info = create(database, now, expires_in=HOUR).info
    assert info.state(now + HOUR - timedelta(microseconds=1)) == "active"
    assert info.state(now + HOUR) == "expired"
    assert dataclasses.replace(info, revoked_at=now).state(now) == "revoked"


def test_terminal_key_has_no_scopes_and_rejects_requested_ones(database: Database, now: datetime) -> None:
    created = create(database, now, scopes=[], terminal=True)
    assert key_format.parse(created.key) == key_format.ParsedKey(env="live", terminal=True)
    assert (created.info.kind, created.info.scopes) == ("terminal", ())
    with pytest.raises(BadRequest, match="has no scopes"):
        create(database, now, scopes=["read", "write"], terminal=True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": ""}, "1 to 100 characters"),
        ({"name": "   "}, "1 to 100 characters"),
        ({"name": "n" * 101}, "1 to 100 characters"),
        ({"name": "two\nlines"}, "control characters"),
        ({"name": "nul\0"}, "control characters"),
        ({"name": "lone \ud800"}, "control characters"),
        ({"scopes": []}, "at least one scope"),
        ({"scopes": ["read", "reed"]}, "no scope 'reed'"),
        ({"scopes": ["\ud800"]}, "no scope"),
        ({"scopes": ["reed"], "terminal": True}, "no scope 'reed'"),
        ({"env": ""}, "letters a to z"),
        ({"env": "Live"}, "letters a to z"),
        ({"env": "live2"}, "letters a to z"),
        ({"env": "live\n"}, "letters a to z"),
        ({"env": "e" * 33}, "letters a to z"),
        ({"expires_in": timedelta(0)}, "in the future"),
        ({"expires_in": -HOUR}, "in the future"),
        ({"expires_in": timedelta.max}, "9999"),
    ],
)
def test_invalid_key_parameters_are_rejected_with_a_message_and_not_stored(
    database: Database, now: datetime, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadRequest, match=sentence) as refusal:
        create(database, now, **options)
    refusal.value.detail.encode()
    assert service.list_keys(database) == []
    assert read_change_counter(database) == 0


def test_a_name_may_be_in_any_script(database: Database, now: datetime) -> None:
    assert create(database, now, name="取引　デスク").info.name == "取引　デスク"


def test_second_revocation_keeps_the_first_revocation_time(database: Database, now: datetime) -> None:
    key_id = create(database, now).info.id
    first = service.revoke_key(database, key_id, now + HOUR)
    before = read_change_counter(database)
    assert service.revoke_key(database, key_id, now + 2 * HOUR) == first
    assert first.revoked_at == now + HOUR
    assert read_change_counter(database) == before


def test_key_is_revoked_by_a_unique_id_prefix_in_any_case(database: Database, now: datetime) -> None:
    insert(database, now, "abcd1234-0000-4000-8000-000000000000")
    insert(database, now, "abcd9999-0000-4000-8000-000000000000")
    assert service.revoke_key(database, " ABCD1 ", now).id.startswith("abcd1234")
    assert [key.revoked_at for key in service.list_keys(database) if key.id.startswith("abcd9")] == [None]


def test_a_leaked_key_is_revoked_by_its_own_text(database: Database, now: datetime) -> None:
    create(database, now)
    leaked = create(database, now)
    assert service.revoke_key(database, leaked.key, now).id == leaked.info.id
    assert [key.state(now) for key in service.list_keys(database)].count("revoked") == 1


@pytest.mark.parametrize(
    ("key_id", "error"),
    [
        ("ffffffff-0000-4000-8000-000000000000", NotFound),
        ("ffff", NotFound),
        ("%%%%", NotFound),
        ("____", NotFound),
        ("nul\0nul", NotFound),
        ("lone \ud800", NotFound),
        (UNKNOWN, NotFound),
        ("abc", BadRequest),
        ("", BadRequest),
        ("abcd", BadRequest),
    ],
)
def test_unknown_or_ambiguous_key_id_revokes_nothing(
    database: Database, now: datetime, key_id: str, error: type[Exception]
) -> None:
    insert(database, now, "abcd1234-0000-4000-8000-000000000000")
    insert(database, now, "abcd9999-0000-4000-8000-000000000000")
    with pytest.raises(error):
        service.revoke_key(database, key_id, now)
    assert {key.revoked_at for key in service.list_keys(database)} == {None}


def test_creating_or_revoking_a_key_increments_the_change_counter(database: Database, now: datetime) -> None:
    created = create(database, now)
    assert read_change_counter(database) == 1
    service.revoke_key(database, created.info.id, now)
    assert read_change_counter(database) == 2


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("1s", timedelta(seconds=1)),
        ("15m", timedelta(minutes=15)),
        ("12h", timedelta(hours=12)),
        ("90d", timedelta(days=90)),
        (" 4w ", timedelta(weeks=4)),
    ],
)
def test_a_duration_is_a_number_and_a_unit(text: str, length: timedelta) -> None:
    assert service.parse_duration(text) == length


@pytest.mark.parametrize(
    "text",
    ["", "90", "d", "0d", "-1d", "1.5d", "1 d", "1y", "1D", "９d", "1d1h", "9" * 12 + "w", "9" * 5000 + "s"],
)
def test_invalid_duration_is_rejected(text: str) -> None:
    with pytest.raises(BadRequest, match="duration"):
        service.parse_duration(text)


@given(st.integers(1, 1000), st.sampled_from("smhdw"))
def test_duration_scales_with_its_number(count: int, unit: str) -> None:
    assert service.parse_duration(f"{count}{unit}") == count * service.parse_duration(f"1{unit}")
