"""Tests how access tokens are validated in memory, on every process, before and after a revocation."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from backend.auth.credentials import Credentials
from backend.auth.key_cache import KeyCache
from backend.auth.oauth import apps, grants, retention, token_cache, token_format
from backend.auth.oauth.tables import tokens
from backend.auth.oauth.token_cache import TokenCache
from backend.auth.principal import CredentialHeader, Principal, UnknownCredential
from backend.errors import Unauthorized, Unavailable
from backend.store.change_watcher import ChangeWatcher
from backend.store.database import Database
from tests.backend.auth.oauth.issued_tokens import Family, require_tokens


@pytest.fixture
def family(database: Database) -> Family:
    return Family.of(database)


@pytest.fixture
def cache(family: Family) -> TokenCache:
    return TokenCache(family.database, clock=lambda: family.at.timestamp())


def find(cache: TokenCache, token: str) -> Principal:
    """As the gate does."""
    try:
        return cache.find(token.encode(), CredentialHeader.BEARER)
    except UnknownCredential as unknown:
        if not unknown.load_from_store():
            raise
        return cache.find(token.encode(), CredentialHeader.BEARER)


def find_refusal(cache: TokenCache, token: str, header: CredentialHeader = CredentialHeader.BEARER) -> str:
    with pytest.raises(Unauthorized) as error:
        find(cache, token) if header is CredentialHeader.BEARER else cache.find(token.encode(), header)
    assert token not in error.value.detail
    return error.value.detail


def test_token_resolves_to_its_account_and_granted_scopes(family: Family, cache: TokenCache) -> None:
    found = find(
        cache, require_tokens(family.exchange(family.code("read", "write"), scope="read")).access_token
    )
    assert (found.id, found.name, found.kind) == (family.account_id, "ada", "oauth")
    assert found.scopes == {"read"}


def test_refreshed_token_keeps_the_credential_id(family: Family, cache: TokenCache) -> None:
    first = family.issued()
    second = require_tokens(family.refresh(first.refresh_token))
    assert find(cache, first.access_token).credential_id == find(cache, second.access_token).credential_id


def test_token_is_loaded_from_the_database_once(family: Family, cache: TokenCache) -> None:
    token = family.issued().access_token
    find(cache, token)
    statements: list[str] = []
    sa.event.listen(family.database.engine, "before_cursor_execute", lambda *a: statements.append(a[2]))

    def count_selects() -> int:
        return sum(statement.startswith("SELECT") for statement in statements)

    for _ in range(3):
        find(cache, token)
    assert count_selects() == 0
    absent = token_format.generate("access")
    for _ in range(3):
        find_refusal(cache, absent)
    assert count_selects() == 1


def test_revoked_token_is_rejected_after_the_next_change_poll(family: Family, cache: TokenCache) -> None:
    watcher = ChangeWatcher(family.database)
    watcher.subscribe(grants.CHANGE_TOPIC, cache.reload)
    first, second = family.issued(), family.issued()
    find(cache, first.access_token)
    find(cache, second.access_token)
    grants.revoke(family.database, token=first.access_token, client_id=None, now=family.at)
    watcher.poll()
    find_refusal(cache, first.access_token)
    find(cache, second.access_token)
    apps.revoke(family.database, family.client_id, family.at)
    watcher.poll()
    find_refusal(cache, second.access_token)


def test_concurrent_lookup_does_not_restore_a_revoked_token(
    family: Family, cache: TokenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = family.issued().access_token
    load_entry = cache._load_entry

    def load_slowly(digest: str) -> object:
        found = load_entry(digest)
        grants.revoke(family.database, token=token, client_id=None, now=family.at)
        cache.reload()
        return found

    monkeypatch.setattr(cache, "_load_entry", load_slowly)
    find_refusal(cache, token)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_cache_that_is_emptied_during_a_lookup_asks_the_store_again(
    family: Family, cache: TokenCache, monkeypatch: pytest.MonkeyPatch, *, is_deleted: bool
) -> None:
    token = family.issued().access_token
    load_entry, lookups = cache._load_entry, []

    def load_slowly(digest: str) -> object:
        found = load_entry(digest)
        lookups.append(digest)
        if len(lookups) == 1:
            if is_deleted:
                retention.delete_expired(family.database, family.at + timedelta(days=40))
            cache.clear()
        return found

    monkeypatch.setattr(cache, "_load_entry", load_slowly)
    if is_deleted:
        find_refusal(cache, token)
    else:
        assert find(cache, token).name == "ada"
    assert len(lookups) == 2


def test_uncached_revoked_or_expired_token_is_rejected(family: Family, cache: TokenCache) -> None:
    revoked, old = family.issued(), family.issued()
    grants.revoke(family.database, token=revoked.access_token, client_id=None, now=family.at)
    find_refusal(cache, revoked.access_token)
    family.later(hours=1)
    find_refusal(cache, old.access_token)


def test_cached_token_expires(family: Family, cache: TokenCache) -> None:
    token = family.issued().access_token
    find(cache, token)
    family.later(seconds=3599)
    find(cache, token)
    family.later(seconds=1)
    find_refusal(cache, token)


def test_malformed_or_wrong_kind_token_is_rejected_without_a_database_query(
    family: Family, cache: TokenCache
) -> None:
    issued = family.issued()
    family.database.dispose()
    assert "refresh_token" in find_refusal(cache, issued.refresh_token)
    assert "checksum" in find_refusal(
        cache, issued.access_token[:-1] + ("0" if issued.access_token[-1] != "0" else "1")
    )
    assert "Bearer" in find_refusal(cache, issued.access_token, CredentialHeader.API_KEY)
    assert "Bearer" in find_refusal(cache, issued.access_token, CredentialHeader.TERMINAL_KEY)


def test_cached_token_is_rejected_in_api_key_headers(family: Family, cache: TokenCache) -> None:
    token = family.issued().access_token
    find(cache, token)
    find_refusal(cache, token, CredentialHeader.API_KEY)


def test_number_of_cached_tokens_is_bounded(
    family: Family, cache: TokenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_cache, "CACHE_SIZE", 2)
    issued = [family.issued().access_token for _ in range(3)]
    for token in issued * 2:
        assert find(cache, token)
    assert len(cache._entries) == 2


def test_token_lookup_times_out_as_unavailable_when_all_slots_are_in_use(
    family: Family, cache: TokenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = family.issued().access_token
    monkeypatch.setattr(token_cache, "LOOKUP_TIMEOUT_SECONDS", 0.001)
    acquired = [
        cache._lookup_slots.acquire(blocking=False) for _ in range(token_cache.MAX_CONCURRENT_LOOKUPS)
    ]
    assert all(acquired)
    with pytest.raises(Unavailable):
        find(cache, token)
    cache._lookup_slots.release()
    assert find(cache, token)


def test_the_last_use_of_an_application_is_written_in_a_batch(family: Family, cache: TokenCache) -> None:
    find(cache, family.issued().access_token)
    assert apps.list_all(family.database)[0].last_used_at is None
    cache.flush_last_used()
    assert apps.list_all(family.database)[0].last_used_at == family.at


def test_credentials_find_and_revoke_both_keys_and_tokens(family: Family, cache: TokenCache) -> None:
    credentials = Credentials(KeyCache(family.database), cache)
    token = family.issued().access_token
    find(cache, token)
    assert credentials.find(token.encode(), CredentialHeader.BEARER).kind == "oauth"
    with pytest.raises(Unauthorized, match="API key"):
        credentials.find(b"something else", CredentialHeader.BEARER)
    grants.revoke(family.database, token=token, client_id=None, now=family.at)
    credentials.reload()
    with pytest.raises(Unauthorized):
        credentials.find(token.encode(), CredentialHeader.BEARER)


def test_revoked_tokens_are_remembered_only_until_they_expire(family: Family, cache: TokenCache) -> None:
    grants.revoke(family.database, token=family.issued().access_token, client_id=None, now=family.at)
    cache.reload()
    assert len(cache._revoked) == 1
    family.at += timedelta(hours=1)
    cache.reload()
    assert cache._revoked == frozenset()
    with family.database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(tokens)).scalar_one() == 2


def test_revoked_tokens_stay_revoked_when_the_clock_moves_forward_and_back(
    family: Family, cache: TokenCache
) -> None:
    before, later_tokens = family.issued(), family.issued()
    find(cache, before.access_token)
    find(cache, later_tokens.access_token)
    grants.revoke(family.database, token=before.refresh_token, client_id=None, now=family.at)
    cache.reload()
    family.later(minutes=61)
    grants.revoke(family.database, token=later_tokens.refresh_token, client_id=None, now=family.at)
    cache.reload()
    family.later(minutes=-61)
    for token in (before.access_token, later_tokens.access_token):
        find_refusal(cache, token)


def test_revoked_token_stays_revoked_after_it_is_deleted_from_the_database(
    family: Family, cache: TokenCache
) -> None:
    token = family.issued().access_token
    find(cache, token)
    grants.revoke(family.database, token=token, client_id=None, now=family.at)
    cache.reload()
    family.later(days=40)
    assert retention.delete_expired(family.database, family.at)["tokens"] > 0
    family.later(days=-40)
    cache.reload()
    find_refusal(cache, token)


@pytest.mark.parametrize("has_wrong_clock_itself", [True, False])
def test_a_token_deleted_under_a_wrong_clock_stays_refused(
    family: Family, cache: TokenCache, *, has_wrong_clock_itself: bool
) -> None:
    issued = family.issued()
    find(cache, issued.access_token)
    watcher = ChangeWatcher(family.database)
    watcher.subscribe(grants.CHANGE_TOPIC, cache.reload)
    watcher.subscribe(retention.CHANGE_TOPIC, cache.clear)
    watcher.poll()
    assert retention.delete_expired(family.database, family.at + timedelta(days=40))["tokens"] > 0
    if has_wrong_clock_itself:
        family.later(days=40)
    watcher.poll()
    if has_wrong_clock_itself:
        family.later(days=-40)
    # The store does not know the token any more, so this changes nothing and is no error.
    assert grants.revoke(family.database, token=issued.refresh_token, client_id=None, now=family.at) is None
    find_refusal(cache, issued.access_token)
