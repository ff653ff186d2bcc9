from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from backend.auth import key_cache, key_format, service
from backend.auth.key_cache import KeyCache
from backend.auth.principal import CredentialHeader, Principal, UnknownCredential
from backend.errors import Unauthorized
from backend.store.change_watcher import ChangeWatcher
from backend.store.database import Database, change_counters

HOUR = timedelta(hours=1)


class Clock:
    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now.timestamp()


@pytest.fixture
def clock(now: datetime) -> Clock:
    return Clock(now)


@pytest.fixture
def cache(database: Database, clock: Clock) -> KeyCache:
    return KeyCache(database, clock=clock)


@pytest.fixture
def make(database: Database, cache: KeyCache, now: datetime) -> Callable[..., bytes]:
    """A stored key as a header would carry it, known to the cache."""

    def made(**options: Any) -> bytes:
        scopes = [] if options.get("terminal") else ["read", "write"]
        key = service.create_key(database, now=now, **{"name": "desk", "scopes": scopes, **options}).key
        cache.reload()
        return key.encode()

    return made


def refusal(cache: KeyCache, credential: bytes, header: CredentialHeader = CredentialHeader.API_KEY) -> str:
    with pytest.raises(Unauthorized) as error:
        cache.find(credential, header)
    return error.value.detail


def last_used(database: Database) -> dict[str, datetime | None]:
    return {key.name: key.last_used_at for key in service.list_keys(database)}


def test_a_known_key_names_its_holder_and_scopes(
    database: Database, cache: KeyCache, make: Callable[..., bytes]
) -> None:
    key = make()
    key_id = service.list_keys(database)[0].id
    holder = Principal(key_id, "desk", "api", frozenset({"read", "write"}), key_id)
    assert cache.find(key, CredentialHeader.API_KEY) == holder
    assert cache.find(key, CredentialHeader.BEARER) == holder


def test_a_terminal_key_names_a_holder_without_scopes(cache: KeyCache, make: Callable[..., bytes]) -> None:
    holder = cache.find(make(terminal=True), CredentialHeader.TERMINAL_KEY)
    assert (holder.kind, holder.scopes) == ("terminal", frozenset())


def test_a_ring_that_was_never_loaded_lets_nobody_in(
    database: Database, cache: KeyCache, now: datetime
) -> None:
    key = service.create_key(database, name="desk", scopes=["read"], now=now).key
    assert "not valid" in refusal(cache, key.encode())


def test_a_revoked_key_is_refused_in_the_same_words_as_an_unknown_one(
    database: Database, cache: KeyCache, make: Callable[..., bytes], now: datetime
) -> None:
    key = make()
    cache.find(key, CredentialHeader.API_KEY)
    service.revoke_key(database, key.decode(), now)
    cache.reload()
    unknown = key_format.generate("live").encode()
    assert refusal(cache, key) == refusal(cache, unknown)
    assert "not valid" in refusal(cache, key)


def test_a_revocation_reaches_a_process_by_the_change_watcher(
    database: Database, cache: KeyCache, make: Callable[..., bytes], now: datetime
) -> None:
    key = make()
    watcher = ChangeWatcher(database)
    watcher.subscribe(service.CHANGE_TOPIC, cache.reload)
    watcher.poll()
    cache.find(key, CredentialHeader.API_KEY)
    service.revoke_key(database, key.decode(), now)
    watcher.poll()
    assert "not valid" in refusal(cache, key)


def test_a_new_key_reaches_a_process_by_the_change_watcher(
    database: Database, cache: KeyCache, now: datetime
) -> None:
    watcher = ChangeWatcher(database)
    watcher.subscribe(service.CHANGE_TOPIC, cache.reload)
    watcher.poll()
    key = service.create_key(database, name="desk", scopes=["read"], now=now).key
    watcher.poll()
    assert cache.find(key.encode(), CredentialHeader.BEARER).name == "desk"


def test_a_key_is_refused_from_its_instant_of_expiry_without_a_reload(
    cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(expires_in=HOUR)
    clock.now = now + HOUR - timedelta(milliseconds=1)
    cache.find(key, CredentialHeader.API_KEY)
    clock.now = now + HOUR
    assert refusal(cache, key) == "The key expired at 2026-05-18T13:00:00Z. Ask for another."


def test_a_key_that_is_expired_and_revoked_does_not_say_that_it_expired(
    database: Database, cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(expires_in=HOUR)
    service.revoke_key(database, key.decode(), now)
    cache.reload()
    clock.now = now + 2 * HOUR
    assert "not valid" in refusal(cache, key)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("cached", [True, False])
def test_an_api_key_and_a_terminal_key_do_not_change_places(
    cache: KeyCache, make: Callable[..., bytes], known: bool, cached: bool
) -> None:
    api = make() if known else key_format.generate("live").encode()
    terminal = make(terminal=True) if known else key_format.generate("live", terminal=True).encode()
    if known and cached:
        cache.find(api, CredentialHeader.API_KEY)
        cache.find(terminal, CredentialHeader.TERMINAL_KEY)
    assert "takes a terminal key" in refusal(cache, api, CredentialHeader.TERMINAL_KEY)
    assert "takes an API key" in refusal(cache, terminal, CredentialHeader.API_KEY)
    assert "takes an API key" in refusal(cache, terminal, CredentialHeader.BEARER)


def test_a_wrong_checksum_is_told_from_a_wrong_form(cache: KeyCache, make: Callable[..., bytes]) -> None:
    key = make()
    spoilt = key[:-1] + (b"0" if key[-1:] != b"0" else b"1")
    assert "checksum" in refusal(cache, spoilt)
    assert "has the form cp_{env}" in refusal(cache, key[:-1])
    assert "has the form cpt_{env}" in refusal(cache, b"", CredentialHeader.TERMINAL_KEY)


@pytest.mark.parametrize("credential", ["clé".encode(), b"\xff\xfe", b"\x80" * 50])
def test_bytes_that_are_no_text_are_refused(cache: KeyCache, credential: bytes) -> None:
    assert "characters that no key has" in refusal(cache, credential)


def test_the_cache_is_bounded(
    cache: KeyCache, make: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_cache, "CACHE_SIZE", 2)
    keys = [make(name=str(number)) for number in range(5)]
    for _ in range(2):
        assert [cache.find(key, CredentialHeader.BEARER).name for key in keys] == ["0", "1", "2", "3", "4"]
        assert len(cache._keys.by_header_value) <= 2


def test_bad_keys_take_no_room_in_the_cache(cache: KeyCache) -> None:
    for _ in range(3):
        refusal(cache, key_format.generate("live").encode())
    assert cache._keys.by_header_value == {}


def test_a_reading_that_a_reload_overtook_does_not_bring_a_revoked_key_back(
    database: Database, cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make()

    def revoke_meanwhile() -> float:
        cache._clock = clock
        service.revoke_key(database, key.decode(), now)
        cache.reload()
        return clock()

    cache._clock = revoke_meanwhile
    cache.find(key, CredentialHeader.API_KEY)  # judged before the revocation
    assert "not valid" in refusal(cache, key)


def test_a_last_use_is_written_by_the_flush_and_not_before(
    database: Database, cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(name="used")
    make(name="unused")
    cache.find(key, CredentialHeader.API_KEY)
    clock.now = now + HOUR
    cache.find(key, CredentialHeader.BEARER)
    assert last_used(database) == {"used": None, "unused": None}
    cache.flush_last_used()
    assert last_used(database) == {"used": now + HOUR, "unused": None}


def test_a_refused_use_is_no_use(
    database: Database, cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(expires_in=HOUR)
    refusal(cache, key, CredentialHeader.TERMINAL_KEY)
    clock.now = now + HOUR
    refusal(cache, key)
    cache.flush_last_used()
    assert last_used(database) == {"desk": None}


def test_a_flush_does_not_move_the_counter_of_changes(
    database: Database, cache: KeyCache, make: Callable[..., bytes]
) -> None:
    cache.find(make(), CredentialHeader.BEARER)
    cache.flush_last_used()
    with database.read() as connection:
        assert connection.execute(sa.select(change_counters.c.n)).scalars().all() == [1]


def test_a_flush_with_nothing_to_write_opens_no_transaction(
    database: Database, cache: KeyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "write", lambda: pytest.fail("a transaction was opened"))
    cache.flush_last_used()


def test_an_older_last_use_never_replaces_a_newer_one(
    database: Database, cache: KeyCache, make: Callable[..., bytes], now: datetime
) -> None:
    key = make()
    other_process = KeyCache(database, clock=Clock(now + HOUR))
    other_process.reload()
    cache.find(key, CredentialHeader.BEARER)
    other_process.find(key, CredentialHeader.BEARER)
    other_process.flush_last_used()
    cache.flush_last_used()
    assert last_used(database) == {"desk": now + HOUR}


def test_last_uses_survive_a_flush_that_fails(
    database: Database,
    cache: KeyCache,
    make: Callable[..., bytes],
    clock: Clock,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    early, late = make(name="early"), make(name="late")
    cache.find(early, CredentialHeader.BEARER)
    cache.find(late, CredentialHeader.BEARER)

    def fail() -> None:
        clock.now = now + HOUR
        cache.find(late, CredentialHeader.BEARER)  # used again while the flush was under way
        raise OSError("the store is away")

    with monkeypatch.context() as patch:
        patch.setattr(database, "write", fail)
        with pytest.raises(OSError, match="away"):
            cache.flush_last_used()
    cache.flush_last_used()
    assert last_used(database) == {"early": now, "late": now + HOUR}


def test_the_default_clock_is_the_time_of_day(database: Database) -> None:
    key = service.create_key(
        database, name="past", scopes=["read"], expires_in=HOUR, now=datetime(2020, 1, 1, tzinfo=UTC)
    ).key
    cache = KeyCache(database)
    cache.reload()
    assert "expired at 2020-01-01T01:00:00Z" in refusal(cache, key.encode())


def test_a_key_that_another_process_made_is_found_in_the_store_before_it_is_refused(
    database: Database, cache: KeyCache, now: datetime
) -> None:
    cache.reload()
    key = service.create_key(database, now=now, name="new", scopes=["read"]).key.encode()
    with pytest.raises(UnknownCredential) as unknown:
        cache.find(key, CredentialHeader.API_KEY)

    assert unknown.value.load_from_store()
    assert cache.find(key, CredentialHeader.API_KEY).name == "new"


def test_a_made_up_key_is_looked_for_once_and_then_refused_from_memory(
    cache: KeyCache, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    asked: list[object] = []
    read = database.read
    monkeypatch.setattr(database, "read", lambda: asked.append(1) or read())

    assert [cache.load_from_store("digest") for _ in range(3)] == [False] * 3
    assert len(asked) == 1
    monkeypatch.setattr(key_cache, "UNKNOWN_TTL_SECONDS", 0.0)
    assert not cache.load_from_store("digest")
    assert len(asked) == 2


def test_a_revoked_key_does_not_turn_up(
    database: Database, cache: KeyCache, make: Callable[..., bytes], now: datetime
) -> None:
    key = make(name="gone")
    service.revoke_key(database, key.decode(), now)
    cache.reload()
    with pytest.raises(UnknownCredential) as unknown:
        cache.find(key, CredentialHeader.API_KEY)
    assert not unknown.value.load_from_store()


def test_a_store_that_does_not_answer_knows_no_key(cache: KeyCache, database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("ALTER TABLE api_keys RENAME TO elsewhere")
    try:
        assert not cache.load_from_store("digest")
    finally:
        with database.write() as connection:
            connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO api_keys")
