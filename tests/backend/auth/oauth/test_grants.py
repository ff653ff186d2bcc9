"""Tests authorization codes and tokens against their standards, on both stores."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import sqlalchemy as sa

from backend.auth.oauth import accounts, apps, grants
from backend.auth.oauth.errors import OAuthError
from backend.auth.oauth.grants import IssuedTokens
from backend.auth.oauth.tables import grants as stored_grants
from backend.auth.oauth.tables import tokens
from backend.store.change_watcher import ChangeWatcher
from backend.store.database import Database
from tests.backend.auth.oauth.issued_tokens import Family, refusal, require_tokens
from tests.support.apps.oauth_app import PASSWORD, challenge

THREADS = 16


@pytest.fixture
def family(database: Database) -> Family:
    return Family.of(database)


def test_code_challenge_matches_the_rfc_example() -> None:
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert (
        grants.compute_code_challenge(verifier)
        == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        == challenge(verifier)
    )


def test_code_is_exchanged_once_and_reuse_revokes_its_tokens(family: Family) -> None:
    code = family.code()
    first = require_tokens(family.exchange(code))
    assert first.scopes == ("read", "write")
    assert family.is_active(first.access_token)
    assert refusal(family.exchange(code)) == "invalid_grant"
    assert not family.is_active(first.access_token)
    assert refusal(family.refresh(first.refresh_token)) == "invalid_grant"


def test_code_reuse_revokes_refreshed_tokens(family: Family) -> None:
    code = family.code()
    first = require_tokens(family.exchange(code))
    second = require_tokens(family.later(days=20).refresh(first.refresh_token))
    assert refusal(family.exchange(code)) == "invalid_grant"
    assert not family.is_active(second.access_token)
    assert not family.is_active(second.refresh_token)


def test_a_code_lives_for_sixty_seconds(family: Family) -> None:
    in_time, late = family.code(), family.code()
    assert require_tokens(family.later(seconds=59.9).exchange(in_time))
    assert refusal(family.later(seconds=0.1).exchange(late)) == "invalid_grant"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"client_id": "another"}, "invalid_grant"),
        ({"client_id": "00000000-0000-4000-8000-000000000000"}, "invalid_client"),
        ({"redirect_uri": "https://desk.example/callback/"}, "invalid_grant"),
        ({"code_verifier": "b" * 43}, "invalid_grant"),
        ({"scope": "read admin"}, "invalid_scope"),
        ({"scope": "\0"}, "invalid_scope"),
    ],
)
def test_code_is_rejected_with_mismatched_parameters_and_remains_valid(
    family: Family, changes: dict[str, str], word: str
) -> None:
    if changes.get("client_id") == "another":
        other_app = apps.create(
            family.database, name="Other", redirect_uris=["https://o.example/"], now=family.at
        )
        changes = {"client_id": other_app.client_id}
    code = family.code()
    assert refusal(family.exchange(code, **changes)) == word
    assert require_tokens(family.exchange(code))


def test_token_scopes_can_be_narrowed_and_widened_again_within_the_grant(family: Family) -> None:
    first = require_tokens(family.exchange(family.code("read", "write"), scope="read"))
    assert first.scopes == ("read",)
    second = require_tokens(family.refresh(first.refresh_token, scope="write"))
    assert second.scopes == ("write",)
    assert require_tokens(family.refresh(second.refresh_token)).scopes == ("read", "write")


def test_refresh_token_is_single_use_and_reuse_revokes_the_family(family: Family) -> None:
    first = family.issued()
    second = require_tokens(family.refresh(first.refresh_token))
    third = require_tokens(family.later(days=29).refresh(second.refresh_token))
    other_tokens = family.issued()
    assert refusal(family.refresh(first.refresh_token)) == "invalid_grant"
    assert not family.is_active(third.access_token)
    assert refusal(family.refresh(third.refresh_token)) == "invalid_grant"
    assert family.is_active(other_tokens.access_token)


def test_a_refresh_token_lives_for_thirty_days_and_an_access_token_for_an_hour(family: Family) -> None:
    issued, other_tokens = family.issued(), family.issued()
    assert family.later(seconds=3599).is_active(issued.access_token)
    assert not family.later(seconds=1).is_active(issued.access_token)
    assert require_tokens(family.later(days=29, hours=22).refresh(issued.refresh_token))
    assert refusal(family.later(hours=1).refresh(other_tokens.refresh_token)) == "invalid_grant"


def test_refresh_token_is_rejected_for_another_application(family: Family) -> None:
    other_app = apps.create(
        family.database, name="Other", redirect_uris=["https://o.example/"], now=family.at
    )
    token = family.issued().refresh_token
    assert refusal(family.refresh(token, client_id=other_app.client_id)) == "invalid_grant"
    unknown = "00000000-0000-4000-8000-000000000000"
    assert refusal(family.refresh(token, client_id=unknown)) == "invalid_client"
    assert refusal(family.refresh(token, scope="read ingest")) == "invalid_scope"
    assert require_tokens(family.refresh(token, client_id=family.client_id))


@pytest.mark.parametrize("text", ["", "cpr_x", "\0", "é", "a" * 10_000])
def test_malformed_token_is_rejected_and_inactive(family: Family, text: str) -> None:
    assert refusal(family.refresh(text)) == "invalid_grant"
    assert refusal(family.exchange(text)) == "invalid_grant"
    assert not family.is_active(text)
    assert grants.revoke(family.database, token=text, client_id=None, now=family.at) is None


def test_token_of_one_kind_is_rejected_as_another_kind(family: Family) -> None:
    issued = family.issued()
    assert refusal(family.refresh(issued.access_token)) == "invalid_grant"
    assert refusal(family.exchange(issued.refresh_token)) == "invalid_grant"
    assert not family.is_active(family.code())


def test_revoking_an_access_token_keeps_its_family_and_a_refresh_token_ends_it(family: Family) -> None:
    issued = family.issued()

    def revoke(token: str, client_id: str | None = None) -> OAuthError | None:
        return grants.revoke(family.database, token=token, client_id=client_id, now=family.at)

    other_app = apps.create(
        family.database, name="Other", redirect_uris=["https://o.example/"], now=family.at
    )
    assert refusal(revoke(issued.access_token, other_app.client_id)) == "unauthorized_client"
    assert family.is_active(issued.access_token)
    assert revoke(issued.access_token, family.client_id) is None
    assert not family.is_active(issued.access_token)
    second = require_tokens(family.refresh(issued.refresh_token))
    assert revoke(second.refresh_token) is None
    assert not family.is_active(second.access_token)
    assert refusal(family.refresh(second.refresh_token)) == "invalid_grant"
    assert revoke(second.refresh_token) is None


def test_introspection_describes_active_tokens_and_hides_inactive_ones(family: Family) -> None:
    issued = family.issued("read")
    result = grants.introspect(family.database, issued.access_token, family.at)
    issued_at = int(family.at.timestamp())
    assert result == {
        "active": True,
        "scope": "read",
        "client_id": family.client_id,
        "username": "ada",
        "sub": family.account_id,
        "iat": issued_at,
        "exp": issued_at + 3600,
        "token_type": "Bearer",
    }
    of_refresh = grants.introspect(family.database, issued.refresh_token, family.at)
    assert of_refresh["exp"] == issued_at + 30 * 86_400
    assert "token_type" not in of_refresh
    require_tokens(family.refresh(issued.refresh_token))
    assert grants.introspect(family.database, issued.refresh_token, family.at) == {"active": False}


def test_disabling_an_account_or_changing_its_password_revokes_its_grants(family: Family) -> None:
    first = family.issued()
    accounts.set_password(family.database, "ADA", "another password", family.at)
    assert refusal(family.refresh(first.refresh_token)) == "invalid_grant"
    code, second = family.code(), family.issued()
    accounts.set_disabled(family.database, "ada", disabled=True, now=family.at)
    assert not family.is_active(second.access_token)
    assert refusal(family.exchange(code)) == "invalid_grant"
    accounts.set_disabled(family.database, "ada", disabled=False, now=family.at)
    assert not family.is_active(second.access_token)


def test_revoking_an_application_revokes_its_grants(family: Family) -> None:
    code, issued = family.code(), family.issued()
    apps.revoke(family.database, family.client_id[:8], family.at)
    assert not family.is_active(issued.access_token)
    assert refusal(family.exchange(code)) == "invalid_client"
    assert refusal(family.refresh(issued.refresh_token)) == "invalid_grant"
    assert refusal(family.refresh(issued.refresh_token, client_id=family.client_id)) == "invalid_client"


def test_sign_in_before_a_password_change_cannot_create_a_grant(family: Family) -> None:
    signed_in = accounts.sign_in(family.database, "ada", PASSWORD, client_ip="192.0.2.1", now=family.at)
    assert isinstance(signed_in, accounts.SignedIn)
    accounts.set_password(family.database, "ada", "another password", family.at)
    with family.database.write() as connection:
        assert accounts.confirm_sign_in(connection, signed_in, family.at) is None


def test_tokens_and_codes_are_not_stored_in_plain_text(family: Family) -> None:
    code = family.code()
    issued = require_tokens(family.exchange(code))
    with family.database.read() as connection:
        stored_text = repr([connection.execute(sa.select(table)).all() for table in (tokens, stored_grants)])
    for text in (code, issued.access_token, issued.refresh_token):
        assert text not in stored_text
        assert text not in repr(issued)


def test_revoking_notifies_change_subscribers_and_issuing_does_not(family: Family) -> None:
    watcher, looks = ChangeWatcher(family.database), []
    watcher.subscribe(grants.CHANGE_TOPIC, lambda: looks.append(1))
    token = family.issued().refresh_token
    require_tokens(family.refresh(token))
    watcher.poll()
    assert looks == []
    family.refresh(token)
    watcher.poll()
    assert looks == [1]


@pytest.mark.parametrize("what", ["code", "refresh token"])
def test_one_of_concurrent_uses_succeeds_and_the_others_revoke_the_family(family: Family, what: str) -> None:
    for _ in range(3):
        if what == "code":
            code = family.code()
            outcomes = run_concurrently(partial(family.exchange, code))
        else:
            token = family.issued().refresh_token
            outcomes = run_concurrently(partial(family.refresh, token))
        successes = [outcome for outcome in outcomes if isinstance(outcome, IssuedTokens)]
        assert len(successes) == 1
        assert {refusal(outcome) for outcome in outcomes if outcome is not successes[0]} == {"invalid_grant"}
        assert not family.is_active(successes[0].access_token)


def run_concurrently(use: Callable[[], IssuedTokens | OAuthError]) -> list[IssuedTokens | OAuthError]:
    together = threading.Barrier(THREADS)

    def run(_: int) -> IssuedTokens | OAuthError:
        together.wait()
        return use()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))
