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


def find_refusal(
    cache: KeyCache, credential: bytes, header: CredentialHeader = CredentialHeader.API_KEY
) -> str:
    with pytest.raises(Unauthorized) as error:
        cache.find(credential, header)
    return error.value.detail


def load_last_used(database: Database) -> dict[str, datetime | None]:
    return {key.name: key.last_used_at for key in service.list_keys(database)}


def test_known_key_returns_its_principal_and_scopes(
    database: Database, cache: KeyCache, make: Callable[..., bytes]
) -> None:
    key = make()
    key_id = service.list_keys(database)[0].id
    holder = Principal(key_id, "desk", "api", frozenset({"read", "write"}), key_id)
    assert cache.find(key, CredentialHeader.API_KEY) == holder
    assert cache.find(key, CredentialHeader.BEARER) == holder


def test_terminal_key_returns_a_principal_without_scopes(cache: KeyCache, make: Callable[..., bytes]) -> None:
    holder = cache.find(make(terminal=True), CredentialHeader.TERMINAL_KEY)
    assert (holder.kind, holder.scopes) == ("terminal", frozenset())


def test_unloaded_cache_rejects_all_keys(database: Database, cache: KeyCache, now: datetime) -> None:
    key = service.create_key(database, name="desk", scopes=["read"], now=now).key
    assert "not valid" in find_refusal(cache, key.encode())


def test_revoked_key_has_the_same_error_as_an_unknown_key(
    database: Database, cache: KeyCache, make: Callable[..., bytes], now: datetime
) -> None:
    key = make()
    cache.find(key, CredentialHeader.API_KEY)
    service.revoke_key(database, key.decode(), now)
    cache.reload()
    unknown = key_format.generate("live").encode()
    assert find_refusal(cache, key) == find_refusal(cache, unknown)
    assert "not valid" in find_refusal(cache, key)


def test_change_watcher_propagates_a_revocation_to_other_processes(
    database: Database, cache: KeyCache, make: Callable[..., bytes], now: datetime
) -> None:
    key = make()
    watcher = ChangeWatcher(database)
    watcher.subscribe(service.CHANGE_TOPIC, cache.reload)
    watcher.poll()
    cache.find(key, CredentialHeader.API_KEY)
    service.revoke_key(database, key.decode(), now)
    watcher.poll()
    assert "not valid" in find_refusal(cache, key)


def test_change_watcher_propagates_a_new_key_to_other_processes(
    database: Database, cache: KeyCache, now: datetime
) -> None:
    watcher = ChangeWatcher(database)
    watcher.subscribe(service.CHANGE_TOPIC, cache.reload)
    watcher.poll()
    key = service.create_key(database, name="desk", scopes=["read"], now=now).key
    watcher.poll()
    assert cache.find(key.encode(), CredentialHeader.BEARER).name == "desk"


def test_key_is_rejected_from_its_expiry_time_without_a_reload(
    cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(expires_in=HOUR)
    clock.now = now + HOUR - timedelta(milliseconds=1)
    cache.find(key, CredentialHeader.API_KEY)
    clock.now = now + HOUR
    assert find_refusal(cache, key) == "The key expired at 2026-05-18T13:00:00Z. Ask for another."


def test_expired_and_revoked_key_is_not_reported_as_expired(
    database: Database, cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(expires_in=HOUR)
    service.revoke_key(database, key.decode(), now)
    cache.reload()
    clock.now = now + 2 * HOUR
    assert "not valid" in find_refusal(cache, key)


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("cached", [True, False])
def test_api_and_terminal_keys_are_rejected_in_each_others_headers(
    cache: KeyCache, make: Callable[..., bytes], is_stored: bool, cached: bool
) -> None:
    api = make() if is_stored else key_format.generate("live").encode()
    terminal = make(terminal=True) if is_stored else key_format.generate("live", terminal=True).encode()
    if is_stored and cached:
        cache.find(api, CredentialHeader.API_KEY)
        cache.find(terminal, CredentialHeader.TERMINAL_KEY)
    assert "takes a terminal key" in find_refusal(cache, api, CredentialHeader.TERMINAL_KEY)
    assert "takes an API key" in find_refusal(cache, terminal, CredentialHeader.API_KEY)
    assert "takes an API key" in find_refusal(cache, terminal, CredentialHeader.BEARER)


def test_wrong_checksum_and_malformed_key_have_different_errors(
    cache: KeyCache, make: Callable[..., bytes]
) -> None:
    key = make()
    spoilt = key[:-1] + (b"0" if key[-1:] != b"0" else b"1")
    assert "checksum" in find_refusal(cache, spoilt)
    assert "has the form cp_{env}" in find_refusal(cache, key[:-1])
    assert "has the form cpt_{env}" in find_refusal(cache, b"", CredentialHeader.TERMINAL_KEY)


@pytest.mark.parametrize("credential", ["clé".encode(), b"\xff\xfe", b"\x80" * 50])
def test_undecodable_bytes_are_rejected(cache: KeyCache, credential: bytes) -> None:
    assert "characters that no key has" in find_refusal(cache, credential)


def test_the_cache_is_bounded(
    cache: KeyCache, make: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_cache, "CACHE_SIZE", 2)
    keys = [make(name=str(number)) for number in range(5)]
    for _ in range(2):
        assert [cache.find(key, CredentialHeader.BEARER).name for key in keys] == ["0", "1", "2", "3", "4"]
        assert len(cache._keys.by_header_value) <= 2


def test_invalid_keys_are_not_cached(cache: KeyCache) -> None:
    for _ in range(3):
        find_refusal(cache, key_format.generate("live").encode())
    assert cache._keys.by_header_value == {}


def test_reload_during_a_lookup_does_not_restore_a_revoked_key(
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
    assert "not valid" in find_refusal(cache, key)


def test_last_use_is_written_only_by_the_flush(
    database: Database, cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(name="used")
    make(name="unused")
    cache.find(key, CredentialHeader.API_KEY)
    clock.now = now + HOUR
    cache.find(key, CredentialHeader.BEARER)
    assert load_last_used(database) == {"used": None, "unused": None}
    cache.flush_last_used()
    assert load_last_used(database) == {"used": now + HOUR, "unused": None}


def test_rejected_use_is_not_recorded_as_last_use(
    database: Database, cache: KeyCache, make: Callable[..., bytes], clock: Clock, now: datetime
) -> None:
    key = make(expires_in=HOUR)
    find_refusal(cache, key, CredentialHeader.TERMINAL_KEY)
    clock.now = now + HOUR
    find_refusal(cache, key)
    cache.flush_last_used()
    assert load_last_used(database) == {"desk": None}


def test_flush_does_not_increment_the_change_counter(
    database: Database, cache: KeyCache, make: Callable[..., bytes]
) -> None:
    cache.find(make(), CredentialHeader.BEARER)
    cache.flush_last_used()
    with database.read() as connection:
        assert connection.execute(sa.select(change_counters.c.n)).scalars().all() == [1]


def test_flush_without_pending_writes_opens_no_transaction(
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
    assert load_last_used(database) == {"desk": now + HOUR}


def test_pending_last_uses_are_kept_after_a_failed_flush(
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
    assert load_last_used(database) == {"early": now, "late": now + HOUR}


def test_default_clock_returns_the_current_time(database: Database) -> None:
    key = service.create_key(
        database, name="past", scopes=["read"], expires_in=HOUR, now=datetime(2020, 1, 1, tzinfo=UTC)
    ).key
    cache = KeyCache(database)
    cache.reload()
    assert "expired at 2020-01-01T01:00:00Z" in find_refusal(cache, key.encode())


def test_key_created_by_another_process_is_loaded_from_the_database(
    database: Database, cache: KeyCache, now: datetime
) -> None:
    cache.reload()
    key = service.create_key(database, now=now, name="new", scopes=["read"]).key.encode()
    with pytest.raises(UnknownCredential) as unknown:
        cache.find(key, CredentialHeader.API_KEY)

    assert unknown.value.load_from_store()
    assert cache.find(key, CredentialHeader.API_KEY).name == "new"


def test_unknown_key_is_looked_up_once_and_then_rejected_from_memory(
    cache: KeyCache, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    reads: list[object] = []
    read = database.read
    monkeypatch.setattr(database, "read", lambda: reads.append(1) or read())

    assert [cache.load_from_store("digest") for _ in range(3)] == [False] * 3
    assert len(reads) == 1
    monkeypatch.setattr(key_cache, "UNKNOWN_TTL_SECONDS", 0.0)
    assert not cache.load_from_store("digest")
    assert len(reads) == 2


def test_revoked_key_is_not_loaded_from_the_database(
    database: Database, cache: KeyCache, make: Callable[..., bytes], now: datetime
) -> None:
    key = make(name="gone")
    service.revoke_key(database, key.decode(), now)
    cache.reload()
    with pytest.raises(UnknownCredential) as unknown:
        cache.find(key, CredentialHeader.API_KEY)
    assert not unknown.value.load_from_store()


def test_failed_database_lookup_finds_no_key(cache: KeyCache, database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("ALTER TABLE api_keys RENAME TO elsewhere")
    try:
        assert not cache.load_from_store("digest")
    finally:
        with database.write() as connection:
            connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO api_keys")
