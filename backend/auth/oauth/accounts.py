"""Accounts: the people who sign in to let an application act for them. Made on the command line alone."""

import unicodedata
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.model import format_optional_rfc3339, format_rfc3339
from backend.auth.oauth import login_throttle, passwords, sign_in_sessions
from backend.auth.oauth.grants import CHANGE_TOPIC, end_sessions, revoke_where
from backend.auth.oauth.sign_in_sessions import SignInSession
from backend.auth.oauth.tables import accounts, grants
from backend.auth.oauth.tables import sign_in_sessions as sessions
from backend.auth.principal import Scope, validate_scopes
from backend.errors import BadRequest, Conflict, NotFound
from backend.store.database import Database, bump

LONGEST_NAME = 64
DEFAULT_SCOPES: tuple[Scope, ...] = ("read", "write", "ingest")


@dataclass(frozen=True, slots=True)
class Account:
    """An account; its password's hash is not among it."""

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
    """Somebody whose password was right a moment ago, and the hash by which it was."""

    account_id: str
    password_hash: str


@dataclass(frozen=True, slots=True)
class Throttled:
    """There were too many attempts."""

    retry_after: int


def create(
    database: Database, *, username: str, password: str, scopes: Iterable[str] = (), now: datetime
) -> Account:
    """Make an account. Raises :class:`BadRequest` for what cannot be, :class:`Conflict` for a name taken."""
    key = _checked_username(username)
    row = {
        "id": str(uuid.uuid4()),
        "username": username.strip(),
        "username_key": key,
        "password_hash": passwords.hash_of(passwords.check(password)),
        "scopes": " ".join(validate_scopes(scopes) or DEFAULT_SCOPES),
        "created_at": now,
    }
    try:
        with database.write() as connection:
            connection.execute(sa.insert(accounts).values(row))
            return _account(_find(connection, key))
    except sa.exc.IntegrityError:
        raise Conflict("There is an account of this name already.") from None


def list_all(database: Database) -> list[Account]:
    """Every account, oldest first, disabled ones too."""
    with database.read() as connection:
        rows = connection.execute(sa.select(accounts).order_by(accounts.c.created_at, accounts.c.id))
        return [_account(row) for row in rows]


def set_disabled(database: Database, username: str, *, disabled: bool, now: datetime) -> Account:
    """Disable the account, end its sessions and revoke all that it granted, or let it sign in again.

    Raises :class:`NotFound`. Twice changes nothing.
    """
    with database.write() as connection:
        row = _find(connection, _key(username))
        if disabled is (row.disabled_at is None):
            _change(connection, row.id, {"disabled_at": now if disabled else None}, revoke=disabled, now=now)
        return _account(_find(connection, row.username_key))


def set_password(database: Database, username: str, password: str, now: datetime) -> Account:
    """Give the account another password, which ends its sessions and revokes all that it granted.

    Raises as :func:`create` does.
    """
    password_hash = passwords.hash_of(passwords.check(password))
    with database.write() as connection:
        row = _find(connection, _key(username))
        _change(connection, row.id, {"password_hash": password_hash}, revoke=True, now=now)
        return _account(_find(connection, row.username_key))


def list_sessions(database: Database, now: datetime, username: str | None = None) -> list[SignInSession]:
    """The browsers that stay signed in: of one account, or of all. Raises :class:`NotFound`."""
    with database.read() as connection:
        account_id = None if username is None else _find(connection, _key(username)).id
        return list(sign_in_sessions.list_active(connection, now, account_id))


def end_session(database: Database, session_id: str, now: datetime) -> None:
    """End one session and all that was granted in it. Raises :class:`NotFound`."""
    with database.write() as connection:
        if not end_sessions(connection, sessions.c.id == session_id.strip().lower(), now):
            raise NotFound("No sign-in session has this id. 'chainproof users sessions' shows the ids.")


def end_all_sessions(database: Database, username: str, now: datetime) -> int:
    """End every session of the account; returns how many. Raises :class:`NotFound`."""
    with database.write() as connection:
        account_id = _find(connection, _key(username)).id
        return len(end_sessions(connection, sessions.c.account_id == account_id, now))


def sign_in(
    database: Database, username: str, password: str, *, address: str, now: datetime
) -> SignedIn | Throttled | None:
    """Who this is; null for a wrong name or password and for a disabled account, after the same time."""
    key = _key(username)
    wait = login_throttle.take(database, username_key=key, address=address, now=now)
    if wait is not None:
        return Throttled(wait)
    with database.read() as connection:
        row = connection.execute(sa.select(accounts).where(accounts.c.username_key == key)).one_or_none()
    right = passwords.matches(None if row is None else row.password_hash, password)
    if row is None or not right or row.disabled_at is not None:
        return None
    if not passwords.is_outdated(row.password_hash):
        return SignedIn(row.id, row.password_hash)
    newer = passwords.hash_of(password)
    same = sa.and_(accounts.c.id == row.id, accounts.c.password_hash == row.password_hash)
    with database.write() as connection:
        changed = connection.execute(sa.update(accounts).where(same).values(password_hash=newer)).rowcount
    return SignedIn(row.id, newer) if changed else None


def confirmed(connection: Connection, who: SignedIn, now: datetime) -> Account | None:
    """The account, locked to the end of the transaction; null when it was disabled, or its password changed,
    since it signed in."""
    same = sa.and_(
        accounts.c.id == who.account_id,
        accounts.c.password_hash == who.password_hash,
        accounts.c.disabled_at.is_(None),
    )
    row = connection.execute(
        sa.update(accounts).where(same).values(last_sign_in_at=now).returning(accounts)
    ).one_or_none()
    return None if row is None else _account(row)


def active(connection: Connection, account_id: str) -> Account | None:
    """The account, locked to the end of the transaction, unless it is disabled."""
    wanted = sa.select(accounts).where(accounts.c.id == account_id, accounts.c.disabled_at.is_(None))
    row = connection.execute(wanted.with_for_update(read=True)).one_or_none()
    return None if row is None else _account(row)


def _change(
    connection: Connection, account_id: str, values: dict[str, Any], *, revoke: bool, now: datetime
) -> None:
    connection.execute(sa.update(accounts).where(accounts.c.id == account_id).values(values))
    if revoke:
        sign_in_sessions.delete(connection, sessions.c.account_id == account_id)
        revoke_where(connection, grants.c.account_id == account_id, now)
        bump(connection, CHANGE_TOPIC)


def _find(connection: Connection, key: str) -> sa.Row[Any]:
    row = connection.execute(sa.select(accounts).where(accounts.c.username_key == key)).one_or_none()
    if row is None:
        raise NotFound("No account has this name. 'chainproof users list' shows the names.")
    return row


def _checked_username(username: str) -> str:
    name = username.strip()
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadRequest(f"A user name has 1 to {LONGEST_NAME} characters.")
    key = _key(name)
    if not key:
        raise BadRequest("A user name holds no blanks and no control characters.")
    return key


def _key(username: str) -> str:
    """The name as names are compared: ``Ａlice`` and ``alice`` are one. Empty for what can be no name."""
    name = username.strip()
    if len(name) > LONGEST_NAME:
        return ""
    key = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    fit = all(unicodedata.category(character)[0] not in "CZ" for character in name + key)
    return key if fit and len(key) <= 4 * LONGEST_NAME else ""


def _account(row: sa.Row[Any]) -> Account:
    return Account(
        id=row.id,
        username=row.username,
        scopes=tuple(row.scopes.split()),
        created_at=row.created_at,
        last_sign_in_at=row.last_sign_in_at,
        disabled_at=row.disabled_at,
    )
