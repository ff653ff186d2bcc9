"""Access tokens as every request judges them: from memory, on every process, revoked or not."""

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
from tests.backend.auth.oauth.issued_tokens import Family, given


@pytest.fixture
def family(database: Database) -> Family:
    return Family.of(database)


@pytest.fixture
def held(family: Family) -> TokenCache:
    return TokenCache(family.database, clock=lambda: family.at.timestamp())


def find(held: TokenCache, token: str) -> Principal:
    """As the gate does."""
    try:
        return held.find(token.encode(), CredentialHeader.BEARER)
    except UnknownCredential as unknown:
        if not unknown.load_from_store():
            raise
        return held.find(token.encode(), CredentialHeader.BEARER)


def refused(held: TokenCache, token: str, header: CredentialHeader = CredentialHeader.BEARER) -> str:
    with pytest.raises(Unauthorized) as error:
        find(held, token) if header is CredentialHeader.BEARER else held.find(token.encode(), header)
    assert token not in error.value.detail
    return error.value.detail


def test_token_resolves_to_its_account_and_granted_scopes(family: Family, held: TokenCache) -> None:
    found = find(held, given(family.exchange(family.code("read", "write"), scope="read")).access_token)
    assert (found.id, found.name, found.kind) == (family.account_id, "ada", "oauth")
    assert found.scopes == {"read"}


def test_refreshed_token_keeps_the_credential_id(family: Family, held: TokenCache) -> None:
    first = family.issued()
    second = given(family.refresh(first.refresh_token))
    assert find(held, first.access_token).credential_id == find(held, second.access_token).credential_id


def test_token_is_loaded_from_the_database_once(family: Family, held: TokenCache) -> None:
    token = family.issued().access_token
    find(held, token)
    asked: list[str] = []
    sa.event.listen(family.database.engine, "before_cursor_execute", lambda *a: asked.append(a[2]))

    def selects() -> int:
        return sum(statement.startswith("SELECT") for statement in asked)

    for _ in range(3):
        find(held, token)
    assert selects() == 0
    absent = token_format.generate("access")
    for _ in range(3):
        refused(held, absent)
    assert selects() == 1


def test_revoked_token_is_rejected_after_the_next_change_poll(family: Family, held: TokenCache) -> None:
    watcher = ChangeWatcher(family.database)
    watcher.subscribe(grants.CHANGE_TOPIC, held.reload)
    one, other = family.issued(), family.issued()
    find(held, one.access_token)
    find(held, other.access_token)
    grants.revoke(family.database, token=one.access_token, client_id=None, now=family.at)
    watcher.poll()
    refused(held, one.access_token)
    find(held, other.access_token)
    apps.revoke(family.database, family.client_id, family.at)
    watcher.poll()
    refused(held, other.access_token)


def test_concurrent_lookup_does_not_restore_a_revoked_token(
    family: Family, held: TokenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = family.issued().access_token
    look = held._load_entry

    def slow(digest: str) -> object:
        found = look(digest)
        grants.revoke(family.database, token=token, client_id=None, now=family.at)
        held.reload()
        return found

    monkeypatch.setattr(held, "_load_entry", slow)
    refused(held, token)


def test_uncached_revoked_or_expired_token_is_rejected(family: Family, held: TokenCache) -> None:
    revoked, old = family.issued(), family.issued()
    grants.revoke(family.database, token=revoked.access_token, client_id=None, now=family.at)
    refused(held, revoked.access_token)
    family.later(hours=1)
    refused(held, old.access_token)


def test_cached_token_expires(family: Family, held: TokenCache) -> None:
    token = family.issued().access_token
    find(held, token)
    family.later(seconds=3599)
    find(held, token)
    family.later(seconds=1)
    refused(held, token)


def test_malformed_or_wrong_kind_token_is_rejected_without_a_database_query(
    family: Family, held: TokenCache
) -> None:
    issued = family.issued()
    family.database.dispose()
    assert "refresh_token" in refused(held, issued.refresh_token)
    assert "checksum" in refused(
        held, issued.access_token[:-1] + ("0" if issued.access_token[-1] != "0" else "1")
    )
    assert "Bearer" in refused(held, issued.access_token, CredentialHeader.API_KEY)
    assert "Bearer" in refused(held, issued.access_token, CredentialHeader.TERMINAL_KEY)


def test_cached_token_is_rejected_in_api_key_headers(family: Family, held: TokenCache) -> None:
    token = family.issued().access_token
    find(held, token)
    refused(held, token, CredentialHeader.API_KEY)


def test_rejection_has_an_invalid_token_challenge(held: TokenCache) -> None:
    with pytest.raises(Unauthorized) as error:
        find(held, token_format.generate("access"))
    assert 'Bearer realm="chainproof", error="invalid_token"' in error.value.headers["WWW-Authenticate"]


def test_number_of_cached_tokens_is_bounded(
    family: Family, held: TokenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_cache, "CACHE_SIZE", 2)
    issued = [family.issued().access_token for _ in range(3)]
    for token in issued * 2:
        assert find(held, token)
    assert len(held._entries) == 2


def test_token_lookup_times_out_as_unavailable_when_all_slots_are_in_use(
    family: Family, held: TokenCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = family.issued().access_token
    monkeypatch.setattr(token_cache, "LOOKUP_TIMEOUT_SECONDS", 0.001)
    taken = [held._lookup_slots.acquire(blocking=False) for _ in range(token_cache.MAX_CONCURRENT_LOOKUPS)]
    assert all(taken)
    with pytest.raises(Unavailable):
        find(held, token)
    held._lookup_slots.release()
    assert find(held, token)


def test_the_last_use_of_an_application_is_written_in_a_batch(family: Family, held: TokenCache) -> None:
    find(held, family.issued().access_token)
    assert apps.list_all(family.database)[0].last_used_at is None
    held.flush_last_used()
    assert apps.list_all(family.database)[0].last_used_at == family.at


def test_credentials_find_and_revoke_both_keys_and_tokens(family: Family, held: TokenCache) -> None:
    both = Credentials(KeyCache(family.database), held)
    token = family.issued().access_token
    find(held, token)
    assert both.find(token.encode(), CredentialHeader.BEARER).kind == "oauth"
    with pytest.raises(Unauthorized, match="API key"):
        both.find(b"something else", CredentialHeader.BEARER)
    grants.revoke(family.database, token=token, client_id=None, now=family.at)
    both.reload()
    with pytest.raises(Unauthorized):
        both.find(token.encode(), CredentialHeader.BEARER)


def test_revoked_tokens_are_remembered_only_until_they_expire(family: Family, held: TokenCache) -> None:
    grants.revoke(family.database, token=family.issued().access_token, client_id=None, now=family.at)
    held.reload()
    assert len(held._revoked) == 1
    family.at += timedelta(hours=1)
    held.reload()
    assert held._revoked == frozenset()
    with family.database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(tokens)).scalar_one() == 2


def test_revoked_tokens_stay_revoked_when_the_clock_moves_forward_and_back(
    family: Family, held: TokenCache
) -> None:
    before, ahead = family.issued(), family.issued()
    find(held, before.access_token)
    find(held, ahead.access_token)
    grants.revoke(family.database, token=before.refresh_token, client_id=None, now=family.at)
    held.reload()
    family.later(minutes=61)
    grants.revoke(family.database, token=ahead.refresh_token, client_id=None, now=family.at)
    held.reload()
    family.later(minutes=-61)
    for token in (before.access_token, ahead.access_token):
        refused(held, token)


def test_revoked_token_stays_revoked_after_it_is_deleted_from_the_database(
    family: Family, held: TokenCache
) -> None:
    token = family.issued().access_token
    find(held, token)
    grants.revoke(family.database, token=token, client_id=None, now=family.at)
    held.reload()
    family.later(days=40)
    assert retention.delete_expired(family.database, family.at)["tokens"] > 0
    family.later(days=-40)
    held.reload()
    refused(held, token)
