"""Tests how accounts and applications are created and stored."""

import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from backend.auth.oauth import accounts, apps, passwords
from backend.auth.oauth.accounts import SignedIn
from backend.errors import BadRequest, Conflict, NotFound, Unavailable
from backend.store.database import Database
from tests.support.apps.oauth_app import CALLBACK, FAST_PASSWORD_HASHER, PASSWORD

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def make(database: Database, **changes: Any) -> accounts.Account:
    return accounts.create(database, **{"username": "Ada", "password": PASSWORD, "now": NOW, **changes})


def enter(database: Database, username: str, password: str = PASSWORD) -> object:
    return accounts.sign_in(database, username, password, client_ip="192.0.2.1", now=NOW)


def test_account_keeps_its_username_and_stores_a_password_hash(database: Database) -> None:
    account = make(database)
    assert (account.username, account.scopes, account.state) == ("Ada", ("read", "write", "ingest"), "active")
    signed_in = enter(database, "ada")
    assert isinstance(signed_in, SignedIn)
    assert signed_in.password_hash.startswith("$argon2id$")
    assert PASSWORD not in signed_in.password_hash


@pytest.mark.parametrize("name", ["ada", "ＡＤＡ", " Ada "])
def test_usernames_that_look_alike_are_rejected_as_a_conflict(database: Database, name: str) -> None:
    make(database)
    with pytest.raises(Conflict):
        make(database, username=name)


@pytest.mark.parametrize("name", ["", " ", "a b", "a\0", "a\nb", "\ud800", "\u200b", "a" * 65, "ﷺ" * 64])
def test_invalid_username_is_rejected(sqlite_database: Database, name: str) -> None:
    with pytest.raises(BadRequest):
        make(sqlite_database, username=name)
    if "\ud800" not in name:
        assert enter(sqlite_database, name) is None


@pytest.mark.parametrize("password", ["", "seven77", "a" * 1025, "with a\0null", "with a\nline", "a \ud800"])
def test_invalid_password_is_rejected(sqlite_database: Database, password: str) -> None:
    with pytest.raises(BadRequest):
        make(sqlite_database, password=password)


def test_password_matches_in_any_unicode_normalization(sqlite_database: Database) -> None:
    make(sqlite_database, password="caf\u00e9 au lait")
    assert enter(sqlite_database, "ada", "cafe\u0301 au lait")
    assert enter(sqlite_database, "ada", "cafe au lait") is None


def test_sign_in_rehashes_a_password_with_an_outdated_cost(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(sqlite_database)
    dearer = type(FAST_PASSWORD_HASHER)(time_cost=2, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "hasher", dearer)
    renewed = enter(sqlite_database, "ada")
    assert isinstance(renewed, SignedIn)
    assert not dearer.check_needs_rehash(renewed.password_hash)
    assert enter(sqlite_database, "ada") == renewed


def test_unknown_account_is_checked_against_a_dummy_hash_of_the_current_cost() -> None:
    assert not FAST_PASSWORD_HASHER.check_needs_rehash(passwords._build_random_hash())
    assert not passwords.matches(None, PASSWORD)


def test_third_concurrent_hash_times_out_as_unavailable(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "WAIT_TIMEOUT_SECONDS", 0.001)
    with passwords._HashSlot(), passwords._HashSlot(), pytest.raises(Unavailable):
        passwords.matches(None, PASSWORD)
    assert not passwords.matches(None, PASSWORD)


def test_number_of_waiting_password_hashes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_queue_places", threading.BoundedSemaphore(2))
    with passwords._HashSlot(), passwords._HashSlot(), pytest.raises(Unavailable):
        passwords.matches(None, PASSWORD)
    assert not passwords.matches(None, PASSWORD)


def test_unknown_account_raises_not_found(sqlite_database: Database) -> None:
    with pytest.raises(NotFound, match="users list"):
        accounts.set_disabled(sqlite_database, "nobody", disabled=True, now=NOW)
    with pytest.raises(NotFound, match="users list"):
        accounts.set_password(sqlite_database, "nobody", PASSWORD, NOW)


def test_application_lists_its_redirect_uris_in_order_without_duplicates(database: Database) -> None:
    uris = ["https://b.example/", CALLBACK, "https://b.example/"]
    app = apps.create(database, name=" Desk ", redirect_uris=uris, now=NOW)
    assert (app.name, app.redirect_uris, app.state) == ("Desk", ("https://b.example/", CALLBACK), "active")
    assert apps.list_all(database) == [app]
    assert apps.find(database, app.client_id.upper()) == app
    revoked = apps.revoke(database, app.client_id[:4].upper(), NOW)
    assert apps.revoke(database, app.client_id, NOW) == revoked
    assert (revoked.state, apps.find(database, app.client_id)) == ("revoked", None)


@pytest.mark.parametrize(
    ("name", "uris"),
    [("", [CALLBACK]), ("a\nb", [CALLBACK]), ("a", []), ("a", [f"{CALLBACK}/{n}" for n in range(21)])],
)
def test_invalid_application_is_rejected(sqlite_database: Database, name: str, uris: list[str]) -> None:
    with pytest.raises(BadRequest):
        apps.create(sqlite_database, name=name, redirect_uris=uris, now=NOW)


@pytest.mark.parametrize("client_id", ["", "abc", "%%%%", "____", "00000000"])
def test_revoking_an_unknown_application_raises_not_found(sqlite_database: Database, client_id: str) -> None:
    with pytest.raises(NotFound, match="apps list"):
        apps.revoke(sqlite_database, client_id, NOW)
