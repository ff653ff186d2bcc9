"""Creates, lists, disables and authenticates accounts, on whose behalf applications act.

Only the command line creates accounts.
"""

import unicodedata
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.api_keys import format_optional_rfc3339, format_rfc3339
from backend.auth.oauth import login_throttle, passwords, sign_in_sessions
from backend.auth.oauth.grants import CHANGE_TOPIC, end_sessions, revoke_grants
from backend.auth.oauth.sign_in_sessions import SignInSession
from backend.auth.oauth.tables import accounts, grants
from backend.auth.oauth.tables import sign_in_sessions as sessions
from backend.auth.principal import Scope, validate_scopes
from backend.errors import BadRequest, Conflict, NotFound
from backend.store.database import Database, bump

MAX_USERNAME_CHARS = 64
DEFAULT_SCOPES: tuple[Scope, ...] = ("read", "write", "ingest")


@dataclass(frozen=True, slots=True)
class Account:
    """A stored account without its password hash."""

    id: str
    username: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_sign_in_at: datetime | None
    disabled_at: datetime | None

    @property
    def state(self) -> Literal["active", "disabled"]:
        return "active" if self.disabled_at is None else "disabled"

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "username": self.username,
            "scopes": list(self.scopes),
            "state": self.state,
            "created_at": format_rfc3339(self.created_at),
            "last_sign_in_at": format_optional_rfc3339(self.last_sign_in_at),
            "disabled_at": format_optional_rfc3339(self.disabled_at),
        }


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An account whose password was verified, and the hash that it was verified against."""

    account_id: str
    password_hash: str


@dataclass(frozen=True, slots=True)
class Throttled:
    """Too many sign-in attempts. ``retry_after`` is in seconds."""

    retry_after: int


def create(
    database: Database, *, username: str, password: str, scopes: Iterable[str] = (), now: datetime
) -> Account:
    """Create an account; raises :class:`BadRequest` for bad input, :class:`Conflict` for a taken name."""
    key = _validate_username(username)
    row = {
        "id": str(uuid.uuid4()),
        "username": username.strip(),
        "username_key": key,
        "password_hash": passwords.hash_password(passwords.validate(password)),
        "scopes": " ".join(validate_scopes(scopes) or DEFAULT_SCOPES),
        "created_at": now,
    }
    try:
        with database.write() as connection:
            connection.execute(sa.insert(accounts).values(row))
            return _build_account(_find_by_key(connection, key))
    except sa.exc.IntegrityError:
        raise Conflict("An account of this name exists already. Choose another name.") from None


def list_all(database: Database) -> list[Account]:
    """List all accounts, oldest first, with disabled ones."""
    with database.read() as connection:
        rows = connection.execute(sa.select(accounts).order_by(accounts.c.created_at, accounts.c.id))
        return [_build_account(row) for row in rows]


def set_disabled(database: Database, username: str, *, disabled: bool, now: datetime) -> Account:
    """Disable the account, end its sessions and revoke its grants, or enable it again.

    Raises :class:`NotFound`. A repetition changes nothing.
    """
    with database.write() as connection:
        row = _find_by_key(connection, _normalize_username(username))
        if disabled is (row.disabled_at is None):
            _update(connection, row.id, {"disabled_at": now if disabled else None}, revoke=disabled, now=now)
        return _build_account(_find_by_key(connection, row.username_key))


def set_password(database: Database, username: str, password: str, now: datetime) -> Account:
    """Change the password, end the account's sessions and revoke its grants.

    Raises as :func:`create` does.
    """
    password_hash = passwords.hash_password(passwords.validate(password))
    with database.write() as connection:
        row = _find_by_key(connection, _normalize_username(username))
        _update(connection, row.id, {"password_hash": password_hash}, revoke=True, now=now)
        return _build_account(_find_by_key(connection, row.username_key))


def list_sessions(database: Database, now: datetime, username: str | None = None) -> list[SignInSession]:
    """List the active sign-in sessions of one account, or of all. Raises :class:`NotFound`."""
    with database.read() as connection:
        account_id = None if username is None else _find_by_key(connection, _normalize_username(username)).id
        return list(sign_in_sessions.list_active(connection, now, account_id))


def end_session(database: Database, session_id: str, now: datetime) -> None:
    """End one session and revoke its grants. Raises :class:`NotFound`."""
    with database.write() as connection:
        if not end_sessions(connection, sessions.c.id == session_id.strip().lower(), now):
            raise NotFound("No sign-in session has this id. 'chainproof users sessions' shows the ids.")


def end_all_sessions(database: Database, username: str, now: datetime) -> int:
    """End all sessions of the account; returns their number. Raises :class:`NotFound`."""
    with database.write() as connection:
        account_id = _find_by_key(connection, _normalize_username(username)).id
        return len(end_sessions(connection, sessions.c.account_id == account_id, now))


def sign_in(
    database: Database, username: str, password: str, *, client_ip: str, now: datetime
) -> SignedIn | Throttled | None:
    """Verify a password; None for a wrong name or password and for a disabled account.

    The time does not depend on which of these is the cause.
    """
    key = _normalize_username(username)
    wait = login_throttle.count_attempt(database, username_key=key, client_ip=client_ip, now=now)
    if wait is not None:
        return Throttled(wait)
    with database.read() as connection:
        row = connection.execute(sa.select(accounts).where(accounts.c.username_key == key)).one_or_none()
    right = passwords.matches(None if row is None else row.password_hash, password)
    if row is None or not right or row.disabled_at is not None:
        return None
    if not passwords.is_outdated(row.password_hash):
        return SignedIn(row.id, row.password_hash)
    newer = passwords.hash_password(password)
    is_unchanged = sa.and_(accounts.c.id == row.id, accounts.c.password_hash == row.password_hash)
    with database.write() as connection:
        changed = connection.execute(
            sa.update(accounts).where(is_unchanged).values(password_hash=newer)
        ).rowcount
    return SignedIn(row.id, newer) if changed else None


def confirm_sign_in(connection: Connection, signed_in: SignedIn, now: datetime) -> Account | None:
    """Record the sign-in and lock the account until the transaction ends.

    None if the account was disabled, or its password changed, since the password was verified.
    """
    is_unchanged = sa.and_(
        accounts.c.id == signed_in.account_id,
        accounts.c.password_hash == signed_in.password_hash,
        accounts.c.disabled_at.is_(None),
    )
    row = connection.execute(
        sa.update(accounts).where(is_unchanged).values(last_sign_in_at=now).returning(accounts)
    ).one_or_none()
    return None if row is None else _build_account(row)


def find_active(connection: Connection, account_id: str) -> Account | None:
    """Find an account that is not disabled, and lock it until the transaction ends."""
    query = sa.select(accounts).where(accounts.c.id == account_id, accounts.c.disabled_at.is_(None))
    row = connection.execute(query.with_for_update(read=True)).one_or_none()
    return None if row is None else _build_account(row)


def _update(
    connection: Connection, account_id: str, values: dict[str, Any], *, revoke: bool, now: datetime
) -> None:
    connection.execute(sa.update(accounts).where(accounts.c.id == account_id).values(values))
    if revoke:
        sign_in_sessions.delete(connection, sessions.c.account_id == account_id)
        revoke_grants(connection, grants.c.account_id == account_id, now)
        bump(connection, CHANGE_TOPIC)


def _find_by_key(connection: Connection, key: str) -> sa.Row[Any]:
    row = connection.execute(sa.select(accounts).where(accounts.c.username_key == key)).one_or_none()
    if row is None:
        raise NotFound("No account has this name. 'chainproof users list' shows the names.")
    return row


def _validate_username(username: str) -> str:
    name = username.strip()
    if not 1 <= len(name) <= MAX_USERNAME_CHARS:
        raise BadRequest(f"A user name has 1 to {MAX_USERNAME_CHARS} characters.")
    key = _normalize_username(name)
    if not key:
        raise BadRequest("A user name holds no blanks and no control characters.")
    return key


def _normalize_username(username: str) -> str:
    """Normalise a name for comparison: ``Ａlice`` and ``alice`` are equal. Empty for an invalid name."""
    name = username.strip()
    if len(name) > MAX_USERNAME_CHARS:
        return ""
    key = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    fit = all(unicodedata.category(character)[0] not in "CZ" for character in name + key)
    return key if fit and len(key) <= 4 * MAX_USERNAME_CHARS else ""


def _build_account(row: sa.Row[Any]) -> Account:
    return Account(
        id=row.id,
        username=row.username,
        scopes=tuple(row.scopes.split()),
        created_at=row.created_at,
        last_sign_in_at=row.last_sign_in_at,
        disabled_at=row.disabled_at,
    )
