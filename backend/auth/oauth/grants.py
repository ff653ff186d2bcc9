"""Issues, exchanges, rotates, revokes and introspects authorization codes and tokens.

Functions that take a database run one transaction; those that take a connection run in the caller's.
:func:`exchange_code` and :func:`refresh` lock the grant's row before they check the code or token, so that
simultaneous uses of it run one after the other. On SQLite the transaction is the lock.
"""

import base64
import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.oauth import sign_in_sessions, token_format
from backend.auth.oauth.errors import OAuthError, unknown_client
from backend.auth.oauth.tables import accounts, apps, grants, tokens
from backend.auth.oauth.tables import sign_in_sessions as sessions
from backend.auth.principal import SCOPES
from backend.store.database import Database, bump

CHANGE_TOPIC = "oauth_tokens"
"""The name of the change counter that revocations increment; issuing tokens does not."""
CODE_LIFETIME = timedelta(seconds=60)
ACCESS_TOKEN_LIFETIME = timedelta(seconds=3600)
REFRESH_TOKEN_LIFETIME = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class IssuedTokens:
    """The text of new tokens, which is not stored and cannot be shown again."""

    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    scopes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "access_token": self.access_token,
            "token_type": "Bearer",
            "expires_in": int(ACCESS_TOKEN_LIFETIME.total_seconds()),
            "refresh_token": self.refresh_token,
            "scope": " ".join(self.scopes),
        }


@dataclass(frozen=True, slots=True)
class Consent:
    """The access that an account granted to an application, and what the exchange of its code must match."""

    app_id: str
    account_id: str
    scopes: tuple[str, ...]
    redirect_uri: str
    code_challenge: str
    session_id: str | None = None
    """The sign-in session that the grant ends with; None for third-party applications."""


def issue_code(connection: Connection, consent: Consent, now: datetime) -> str:
    """Issue a code for one exchange within :data:`CODE_LIFETIME`."""
    code = token_format.generate("code")
    row = {
        "id": str(uuid.uuid4()),
        "app_id": consent.app_id,
        "account_id": consent.account_id,
        "scopes": " ".join(consent.scopes),
        "created_at": now,
        "expires_at": now + CODE_LIFETIME,
        "code_digest": token_format.digest(code),
        "code_challenge": consent.code_challenge,
        "code_expires_at": now + CODE_LIFETIME,
        "redirect_uri": consent.redirect_uri,
        "session_id": consent.session_id,
    }
    connection.execute(sa.insert(grants).values(row))
    return code


def exchange_code(
    database: Database,
    *,
    client_id: str,
    code: str,
    redirect_uri: str,
    code_verifier: str,
    scope: str | None,
    now: datetime,
) -> IssuedTokens | OAuthError:
    """Exchange a code for tokens (RFC 6749 section 4.1.3).

    A second use of the code revokes the tokens issued by the first.
    """
    with database.write() as connection:
        row = _lock_grant(connection, grants.c.code_digest == token_format.digest(code))
        if row is not None and row.code_used_at is not None:
            revoke_grants(connection, grants.c.id == row.id, now)
            bump(connection, CHANGE_TOPIC)
            return OAuthError("invalid_grant", "The code was used before. Its tokens are revoked.")
        if not _is_active_client(connection, client_id):
            return unknown_client()
        if row is None or row.app_id != client_id or row.revoked_at is not None or row.code_expires_at <= now:
            return OAuthError("invalid_grant", "The code is unknown, expired, or another application's.")
        if row.redirect_uri != redirect_uri:
            return OAuthError(
                "invalid_grant", "The redirect_uri is not the one of the authorization request."
            )
        if compute_code_challenge(code_verifier) != row.code_challenge:
            return OAuthError("invalid_grant", "The code_verifier does not belong to the code_challenge.")
        scopes = narrow_scopes(scope, row.scopes.split())
        if isinstance(scopes, OAuthError):
            return scopes
        connection.execute(sa.update(grants).where(grants.c.id == row.id).values(code_used_at=now))
        return _issue_tokens(connection, row, scopes, now)


def refresh(
    database: Database, *, refresh_token: str, client_id: str | None, scope: str | None, now: datetime
) -> IssuedTokens | OAuthError:
    """Exchange a refresh token for new tokens.

    Each refresh token can be used once: a second use revokes its grant with all tokens (RFC 9700 section
    4.14.2).
    """
    digest = token_format.digest(refresh_token)
    is_this_token = sa.and_(tokens.c.digest == digest, tokens.c.kind == "refresh")
    with database.write() as connection:
        find_grant = sa.select(grants.c.id, grants.c.session_id).join(tokens).where(is_this_token)
        found_grant = connection.execute(find_grant).one_or_none()
        session_id = None if found_grant is None else found_grant.session_id
        session = None if session_id is None else sign_in_sessions.lock(connection, session_id, now)
        row = None if found_grant is None else _lock_grant(connection, grants.c.id == found_grant.id)
        token = connection.execute(sa.select(tokens).where(is_this_token)).one_or_none()
        if row is not None and token is not None and token.rotated_at is not None:
            revoke_grants(connection, grants.c.id == row.id, now)
            bump(connection, CHANGE_TOPIC)
            return OAuthError(
                "invalid_grant", "The refresh token was used before. Its whole family is revoked."
            )
        if client_id is not None and not _is_active_client(connection, client_id):
            return unknown_client()
        if row is None or token is None or row.revoked_at is not None or token.expires_at <= now:
            return OAuthError("invalid_grant", "The refresh token is unknown, expired or revoked.")
        if client_id is not None and row.app_id != client_id:
            return OAuthError("invalid_grant", "The refresh token is another application's.")
        if session_id is not None and session is None:
            return OAuthError("invalid_grant", "The sign-in session of the refresh token has ended.")
        scopes = narrow_scopes(scope, row.scopes.split())
        if isinstance(scopes, OAuthError):
            return scopes
        if session is not None:
            sign_in_sessions.touch(connection, session, now)
        connection.execute(sa.update(tokens).where(is_this_token).values(rotated_at=now))
        return _issue_tokens(connection, row, scopes, now)


def revoke(
    database: Database, *, token: str, client_id: str | None, end_session: bool = False, now: datetime
) -> OAuthError | None:
    """Revoke an access token, or for a refresh token its grant with all tokens (RFC 7009 section 2.1).

    ``end_session`` also ends the sign-in session of the token's grant, if it has one. An unknown or
    expired token is no error. With a ``client_id`` the token must belong to that application.
    """
    with database.write() as connection:
        if client_id is not None and not _is_active_client(connection, client_id):
            return unknown_client()
        query = sa.select(tokens, grants.c.app_id, grants.c.session_id).join(grants)
        row = connection.execute(query.where(tokens.c.digest == token_format.digest(token))).one_or_none()
        if row is None:
            return None
        if client_id is not None and row.app_id != client_id:
            return OAuthError("unauthorized_client", "The token is another application's.")
        if end_session and row.session_id is not None:
            end_sessions(connection, sessions.c.id == row.session_id, now)
        if row.kind == "refresh":
            revoke_grants(connection, grants.c.id == row.grant_id, now)
        else:
            is_this_token = sa.and_(tokens.c.digest == row.digest, tokens.c.revoked_at.is_(None))
            connection.execute(sa.update(tokens).where(is_this_token).values(revoked_at=now))
        bump(connection, CHANGE_TOPIC)
        return None


def introspect(database: Database, token: str, now: datetime) -> dict[str, Any]:
    """Return the claims of RFC 7662 without ``iss``; only ``active: false`` for an invalid token."""
    query = (
        sa.select(tokens, grants.c.app_id, grants.c.account_id, accounts.c.username)
        .join(grants, grants.c.id == tokens.c.grant_id)
        .join(accounts, accounts.c.id == grants.c.account_id)
        .where(tokens.c.digest == token_format.digest(token), usable_token_condition(now))
    )
    with database.read() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return {"active": False}
    claims = {
        "active": True,
        "scope": row.scopes,
        "client_id": row.app_id,
        "username": row.username,
        "sub": row.account_id,
        "iat": int(row.created_at.timestamp()),
        "exp": int(row.expires_at.timestamp()),
    }
    return {**claims, "token_type": "Bearer"} if row.kind == "access" else claims


def usable_token_condition(now: datetime) -> sa.ColumnElement[bool]:
    """Build the SQL condition for a token, joined with its grant, that is not expired, revoked or rotated."""
    return sa.and_(
        tokens.c.expires_at > now,
        tokens.c.revoked_at.is_(None),
        tokens.c.rotated_at.is_(None),
        grants.c.revoked_at.is_(None),
    )


def revoke_grants(connection: Connection, condition: sa.ColumnElement[bool], now: datetime) -> None:
    """Revoke grants with their codes and tokens. The caller bumps the change counter."""
    connection.execute(
        sa.update(grants).where(condition, grants.c.revoked_at.is_(None)).values(revoked_at=now)
    )


def end_sessions(connection: Connection, condition: sa.ColumnElement[bool], now: datetime) -> list[str]:
    """End sign-in sessions and revoke their grants; returns the ids of the sessions."""
    ended = sign_in_sessions.delete(connection, condition)
    if ended:
        revoke_grants(connection, grants.c.session_id.in_(ended), now)
        bump(connection, CHANGE_TOPIC)
    return ended


def narrow_scopes(requested: str | None, granted: Sequence[str]) -> tuple[str, ...] | OAuthError:
    """Return the requested scopes, which must all be granted; all granted ones if none is requested."""
    if requested is None:
        return tuple(granted)
    requested_scopes = set(requested.split(" ")) - {""}
    if not requested_scopes or not requested_scopes.issubset(granted):
        return OAuthError("invalid_scope", "The scope may only narrow what was granted.")
    return tuple(scope for scope in SCOPES if scope in requested_scopes)


def compute_code_challenge(verifier: str) -> str:
    """Compute BASE64URL(SHA256(verifier)), the S256 method of RFC 7636 section 4.2."""
    hashed = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()


def _issue_tokens(
    connection: Connection, grant: sa.Row[Any], scopes: tuple[str, ...], now: datetime
) -> IssuedTokens:
    """Issue an access token with ``scopes`` and a refresh token with all granted scopes (RFC 6749, 6)."""
    issued = IssuedTokens(token_format.generate("access"), token_format.generate("refresh"), scopes)
    rows = [
        _build_token_row(issued.access_token, "access", grant, " ".join(scopes), now, ACCESS_TOKEN_LIFETIME),
        _build_token_row(issued.refresh_token, "refresh", grant, grant.scopes, now, REFRESH_TOKEN_LIFETIME),
    ]
    connection.execute(sa.insert(tokens), rows)
    connection.execute(
        sa.update(grants).where(grants.c.id == grant.id).values(expires_at=now + REFRESH_TOKEN_LIFETIME)
    )
    return issued


def _build_token_row(
    text: str, kind: str, grant: sa.Row[Any], scopes: str, now: datetime, lifetime: timedelta
) -> dict[str, Any]:
    return {
        "digest": token_format.digest(text),
        "grant_id": grant.id,
        "kind": kind,
        "scopes": scopes,
        "created_at": now,
        "expires_at": now + lifetime,
    }


def _lock_grant(connection: Connection, condition: sa.ColumnElement[bool]) -> sa.Row[Any] | None:
    return connection.execute(sa.select(grants).where(condition).with_for_update()).one_or_none()


def _is_active_client(connection: Connection, client_id: str) -> bool:
    active_app = sa.select(apps.c.id).where(apps.c.id == client_id, apps.c.revoked_at.is_(None))
    return connection.execute(active_app).first() is not None
