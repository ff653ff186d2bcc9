"""Tests stored sign-in sessions: concurrent ends, and rows of an older version."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import sqlalchemy as sa

from backend import migrations
from backend.auth.oauth import accounts, apps, grants, tables
from backend.auth.oauth.authorization_request import AuthorizationRequest, validate_request
from backend.auth.oauth.errors import OAuthError
from backend.auth.oauth.parameters import Parameters
from backend.auth.oauth.service import Approval, OAuth
from backend.auth.oauth.token_format import digest
from backend.store.database import Database
from tests.support.apps.oauth_app import CALLBACK, PASSWORD, VERIFIER, challenge
from tests.support.waiting import LIMIT_SECONDS

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)


def test_no_grant_is_created_in_a_session_that_ends_concurrently(database: Database) -> None:
    app = apps.create(database, name="Dashboard", redirect_uris=[CALLBACK], first_party=True, now=NOW)
    accounts.create(database, username="ada", password=PASSWORD, now=NOW)
    request = validate_request(
        Parameters(
            {
                "response_type": "code",
                "redirect_uri": CALLBACK,
                "code_challenge": challenge(),
                "code_challenge_method": "S256",
            },
            frozenset(),
            frozenset(),
        ),
        app,
    )
    for number in range(8):
        oauth = OAuth(database, "http://127.0.0.1:8000", lambda at=NOW + timedelta(minutes=2 * number): at)
        end = accounts.end_all_sessions if number % 2 else set_same_password
        secret = resume_while_it_ends(oauth, request, end)
        assert oauth.resume(request, secret) is None
        with database.read() as connection:
            remaining_rows = connection.execute(
                sa.select(tables.grants.c.id).where(tables.grants.c.revoked_at.is_(None))
            ).all()
        assert remaining_rows == []


def set_same_password(database: Database, username: str, now: datetime) -> None:
    accounts.set_password(database, username, PASSWORD, now)


def resume_while_it_ends(
    oauth: OAuth, request: AuthorizationRequest, end: Callable[[Database, str, datetime], object]
) -> str | None:
    """Sign in; then at once end the session, refresh its token and have the browser come again four times.
    Returns the session's secret."""
    approved = oauth.approve(request, "ada", PASSWORD, client_ip="192.0.2.1")
    assert isinstance(approved, Approval)
    code = parse_qs(urlsplit(approved.redirect_url).query)["code"][0]
    issued = grants.exchange_code(
        oauth.database,
        client_id=request.app.client_id,
        code=code,
        redirect_uri=CALLBACK,
        code_verifier=VERIFIER,
        scope=None,
        now=oauth.now(),
    )
    assert isinstance(issued, grants.IssuedTokens)
    together = threading.Barrier(6)

    def do(number: int) -> None:
        together.wait(LIMIT_SECONDS)
        if number == 0:
            end(oauth.database, "ada", oauth.now())
        elif number == 1:
            refresh(oauth, issued)
        else:
            oauth.resume(request, approved.session)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(do, range(6)))
    assert isinstance(refresh(oauth, issued), OAuthError)
    return approved.session


def refresh(oauth: OAuth, issued: grants.IssuedTokens) -> grants.IssuedTokens | OAuthError:
    return grants.refresh(
        oauth.database, refresh_token=issued.refresh_token, client_id=None, scope=None, now=oauth.now()
    )


def test_migration_keeps_existing_grants_and_recognizes_the_dashboard_app(empty_database_url: str) -> None:
    database = Database(empty_database_url)
    registered = {
        "dashboard": ("Chainproof dashboard", "https://chainproof.example/sign-in/callback"),
        "another": ("Desk", "https://desk.example/sign-in/callback"),
        "odd": ("Chainproof dashboard", "https://chainproof.example/callback"),
    }
    account = {"id": "a", "username": "ada", "username_key": "ada", "password_hash": "", "scopes": "read"}
    grant = {"id": "g", "app_id": "dashboard", "account_id": "a", "scopes": "read", "redirect_uri": ""}
    code = {"code_digest": "c", "code_challenge": "c", "code_expires_at": NOW, "code_used_at": NOW}
    end = {"created_at": NOW, "expires_at": NOW + timedelta(days=30)}
    token = {"digest": digest("cpr_before"), "grant_id": "g", "kind": "refresh", "scopes": "read"}
    with database.write() as connection:
        migrations.upgrade_in_transaction(connection, "0011")
        for client_id, (name, uri) in registered.items():
            row = {"id": client_id, "name": name, "redirect_uris": uri, "created_at": NOW}
            connection.execute(sa.insert(tables.apps).values(row))
        connection.execute(sa.insert(tables.accounts).values({**account, "created_at": NOW}))
        connection.execute(sa.insert(tables.grants).values({**grant, **code, **end}))
        connection.execute(sa.insert(tables.tokens).values({**token, **end}))
    migrations.upgrade(empty_database_url)
    found = {app.client_id: app.first_party for app in apps.list_all(database)}
    assert found == {"dashboard": True, "another": False, "odd": False}
    refreshed = grants.refresh(
        database, refresh_token="cpr_before", client_id="dashboard", scope=None, now=NOW + timedelta(days=1)
    )
    assert isinstance(refreshed, grants.IssuedTokens)
    database.dispose()
