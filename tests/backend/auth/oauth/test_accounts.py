"""Accounts and applications as they are made and kept."""

import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from backend.auth.oauth import accounts, apps, passwords
from backend.auth.oauth.accounts import SignedIn
from backend.errors import BadRequest, Conflict, NotFound, Unavailable
from backend.store.database import Database
from tests.support.oauth_app import CALLBACK, CHEAP, PASSWORD

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def make(database: Database, **changes: Any) -> accounts.Account:
    return accounts.create(database, **{"username": "Ada", "password": PASSWORD, "now": NOW, **changes})


def enter(database: Database, username: str, password: str = PASSWORD) -> object:
    return accounts.sign_in(database, username, password, address="192.0.2.1", now=NOW)


def test_an_account_keeps_its_name_as_it_was_given_and_its_password_as_a_hash(database: Database) -> None:
    made = make(database)
    assert (made.username, made.scopes, made.state) == ("Ada", ("read", "write", "ingest"), "active")
    signed_in = enter(database, "ada")
    assert isinstance(signed_in, SignedIn)
    assert signed_in.password_hash.startswith("$argon2id$")
    assert PASSWORD not in signed_in.password_hash


@pytest.mark.parametrize("name", ["ada", "ＡＤＡ", " Ada "])
def test_two_accounts_have_no_name_that_reads_alike(database: Database, name: str) -> None:
    make(database)
    with pytest.raises(Conflict):
        make(database, username=name)


@pytest.mark.parametrize("name", ["", " ", "a b", "a\0", "a\nb", "\ud800", "\u200b", "a" * 65, "ﷺ" * 64])
def test_what_can_be_no_name(sqlite_database: Database, name: str) -> None:
    with pytest.raises(BadRequest):
        make(sqlite_database, username=name)
    if "\ud800" not in name:
        assert enter(sqlite_database, name) is None


@pytest.mark.parametrize("password", ["", "seven77", "a" * 1025, "with a\0null", "with a\nline", "a \ud800"])
def test_what_can_be_no_password(sqlite_database: Database, password: str) -> None:
    with pytest.raises(BadRequest):
        make(sqlite_database, password=password)


def test_a_password_counts_however_its_characters_are_composed(sqlite_database: Database) -> None:
    make(sqlite_database, password="caf\u00e9 au lait")
    assert enter(sqlite_database, "ada", "cafe\u0301 au lait")
    assert enter(sqlite_database, "ada", "cafe au lait") is None


def test_a_hash_of_a_lower_cost_is_renewed_at_the_next_sign_in(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(sqlite_database)
    dearer = type(CHEAP)(time_cost=2, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "hasher", dearer)
    renewed = enter(sqlite_database, "ada")
    assert isinstance(renewed, SignedIn)
    assert not dearer.check_needs_rehash(renewed.password_hash)
    assert enter(sqlite_database, "ada") == renewed


def test_nobody_is_hashed_for_at_the_present_cost() -> None:
    assert not CHEAP.check_needs_rehash(passwords._random_hash())
    assert not passwords.matches(None, PASSWORD)


def test_the_third_hash_at_a_time_waits_and_says_so_when_it_is_too_long(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "WAIT_TIMEOUT_SECONDS", 0.001)
    with passwords._HashSlot(), passwords._HashSlot(), pytest.raises(Unavailable):
        passwords.matches(None, PASSWORD)
    assert not passwords.matches(None, PASSWORD)


def test_no_more_wait_for_a_hash_than_threads_can_be_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_queue_places", threading.BoundedSemaphore(2))
    with passwords._HashSlot(), passwords._HashSlot(), pytest.raises(Unavailable):
        passwords.matches(None, PASSWORD)
    assert not passwords.matches(None, PASSWORD)


def test_an_account_that_there_is_not_is_named_as_such(sqlite_database: Database) -> None:
    with pytest.raises(NotFound, match="users list"):
        accounts.set_disabled(sqlite_database, "nobody", disabled=True, now=NOW)
    with pytest.raises(NotFound, match="users list"):
        accounts.set_password(sqlite_database, "nobody", PASSWORD, NOW)


def test_an_application_is_listed_with_its_addresses_in_order_and_once(database: Database) -> None:
    uris = ["https://b.example/", CALLBACK, "https://b.example/"]
    made = apps.create(database, name=" Desk ", redirect_uris=uris, now=NOW)
    assert (made.name, made.redirect_uris, made.state) == ("Desk", ("https://b.example/", CALLBACK), "active")
    assert apps.list_all(database) == [made]
    assert apps.find(database, made.client_id.upper()) == made
    revoked = apps.revoke(database, made.client_id[:4].upper(), NOW)
    assert apps.revoke(database, made.client_id, NOW) == revoked
    assert (revoked.state, apps.find(database, made.client_id)) == ("revoked", None)


@pytest.mark.parametrize(
    ("name", "uris"),
    [("", [CALLBACK]), ("a\nb", [CALLBACK]), ("a", []), ("a", [f"{CALLBACK}/{n}" for n in range(21)])],
)
def test_what_can_be_no_application(sqlite_database: Database, name: str, uris: list[str]) -> None:
    with pytest.raises(BadRequest):
        apps.create(sqlite_database, name=name, redirect_uris=uris, now=NOW)


@pytest.mark.parametrize("client_id", ["", "abc", "%%%%", "____", "00000000"])
def test_an_application_that_there_is_not_is_named_as_such(sqlite_database: Database, client_id: str) -> None:
    with pytest.raises(NotFound, match="apps list"):
        apps.revoke(sqlite_database, client_id, NOW)
