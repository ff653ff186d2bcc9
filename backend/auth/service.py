"""The verbs of API keys: create, list, revoke, and the key that the service makes for its own machine."""

import hashlib
import re
import socket
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth import key_format, local_key_file
from backend.auth.display_names import checked_name
from backend.auth.model import CreatedKey, KeyInfo
from backend.auth.principal import SCOPES, Scope, checked_scopes
from backend.auth.tables import api_keys
from backend.errors import BadRequest, NotFound
from backend.store.database import Database, bump

CHANGED = "api_keys"
"""The change topic; whoever holds keys in memory reloads them when it moves."""
LOCAL_ENV = "local"
LOCAL_NAME = "local key of "
LOCAL_SCOPES: tuple[Scope, ...] = ("read", "write", "ingest")
LOCAL_KEY_LOCK = 0x43_50_4C_4B  # "CPLK": any number that nothing else locks on
ENV_LENGTH = 32
PREFIX_LENGTH = 4
ID_START = re.compile(r"[0-9A-Fa-f-]+")
NO_SUCH_KEY = "No key has this id. 'chainproof keys list' shows the ids."
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def create_key(
    database: Database,
    *,
    name: str,
    scopes: Iterable[str] = (),
    env: str = "live",
    expires_in: timedelta | None = None,
    terminal: bool = False,
    now: datetime,
) -> CreatedKey:
    """Make and store a key. A terminal key has no scopes.

    Raises :class:`BadRequest` for a bad name, scope, env or expiry, and for a terminal key with scopes.
    """
    name, chosen = checked_name(name, "a key"), checked_scopes(scopes)
    _check_env(env)
    if env == LOCAL_ENV and name.startswith(LOCAL_NAME):
        raise BadRequest(
            f"Names that begin with '{LOCAL_NAME}' are kept for the keys that the service makes itself. "
            "Choose another."
        )
    if terminal and chosen:
        raise BadRequest(
            "A terminal key opens topic media alone and has no scopes. Leave out --terminal or --scope."
        )
    if not terminal and not chosen:
        raise BadRequest(f"A key needs at least one scope of {', '.join(SCOPES)}.")
    with database.write() as connection:
        return _store(
            connection,
            name=name,
            scopes=chosen,
            env=env,
            expires_at=_expiry(now, expires_in),
            terminal=terminal,
            now=now,
        )


def list_keys(database: Database) -> list[KeyInfo]:
    """Every key, oldest first, expired and revoked ones too; ``last_used_at`` may be half a minute behind."""
    with database.read() as connection:
        rows = connection.execute(sa.select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id))
        return [KeyInfo.of(row) for row in rows]


def revoke_key(database: Database, id_or_prefix: str, now: datetime) -> KeyInfo:
    """Revoke the key with this id, with an id that begins so (4 characters or more), or with this very text.

    Revoking twice changes nothing. Raises :class:`NotFound` when no key is meant and
    :class:`BadRequest` when several are.
    """
    with database.write() as connection:
        found = _find(connection, id_or_prefix.strip())
        if found.revoked_at is None:
            _revoke(connection, api_keys.c.id == found.id, now)
            bump(connection, CHANGED)
        return KeyInfo.of(connection.execute(sa.select(api_keys).where(api_keys.c.id == found.id)).one())


def parse_duration(text: str) -> timedelta:
    """``30s``, ``15m``, ``12h``, ``90d`` or ``4w``; anything else, zero too, raises :class:`BadRequest`."""
    match = re.fullmatch(r"([0-9]+)([smhdw])", text.strip())
    try:
        length = timedelta(**{UNITS[match[2]]: int(match[1])}) if match else timedelta(0)
    except (OverflowError, ValueError):  # int() refuses thousands of digits with a ValueError
        raise BadRequest("The duration is too long.") from None
    if not length:
        raise BadRequest("A duration is a whole number above zero and one of s, m, h, d, w, such as 90d.")
    return length


def ensure_local_key(database: Database, file: Path, now: datetime) -> None:
    """See to it that ``file`` holds the key with which programs on this machine reach the service.

    A key is made when this file never had one in the store, and made anew (the former one being
    revoked) when the file is lost or holds a key that the store does not know. A local key that was
    revoked on purpose is respected: it is not made anew, whether its file was left or taken away.

    Several processes may start at once: one makes the key under the store's lock, the others find
    it. The file is written before the commit; a process killed between the two leaves a file whose
    key is unknown, which the next start replaces.
    """
    with database.read() as connection:
        settled = _is_known(connection, local_key_file.read(file))
    if not settled:
        with database.write() as connection:  # on SQLite BEGIN IMMEDIATE is the lock
            if not database.is_sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCAL_KEY_LOCK)))
            text = local_key_file.read(file)
            if _is_known(connection, text) or (text is None and _was_withdrawn(connection, file)):
                return
            _make_local_key(connection, file, now)
    local_key_file.make_private(file)


def _local_name(file: Path) -> str:
    """One name for each key file: several machines, or data folders of one, may share a store."""
    host = socket.gethostname()
    mark = hashlib.sha256(f"{host}\n{file.absolute()}".encode()).hexdigest()[:8]
    return f"{LOCAL_NAME}{host[:60]} ({mark})"


def _is_local(file: Path) -> sa.ColumnElement[bool]:
    return sa.and_(api_keys.c.env == LOCAL_ENV, api_keys.c.name == _local_name(file))


def _is_known(connection: Connection, text: str | None) -> bool:
    if not text:
        return False
    query = sa.select(api_keys.c.id).where(api_keys.c.digest == key_format.digest(text))
    return connection.execute(query).first() is not None


def _was_withdrawn(connection: Connection, file: Path) -> bool:
    revoked_at = connection.execute(sa.select(api_keys.c.revoked_at).where(_is_local(file))).scalars().all()
    return bool(revoked_at) and None not in revoked_at


def _make_local_key(connection: Connection, file: Path, now: datetime) -> None:
    _revoke(connection, _is_local(file), now)
    created = _store(
        connection,
        name=_local_name(file),
        scopes=LOCAL_SCOPES,
        env=LOCAL_ENV,
        expires_at=None,
        terminal=False,
        now=now,
    )
    local_key_file.write(file, created.key)


def _store(
    connection: Connection,
    *,
    name: str,
    scopes: tuple[Scope, ...],
    env: str,
    expires_at: datetime | None,
    terminal: bool,
    now: datetime,
) -> CreatedKey:
    key = key_format.generate(env, terminal=terminal)
    row = {
        "id": str(uuid.uuid4()),
        "name": name,
        "kind": "terminal" if terminal else "api",
        "env": env,
        "digest": key_format.digest(key),
        "scopes": " ".join(scopes),
        "created_at": now,
        "expires_at": expires_at,
    }
    connection.execute(sa.insert(api_keys).values(row))
    bump(connection, CHANGED)
    stored = connection.execute(sa.select(api_keys).where(api_keys.c.id == row["id"])).one()
    return CreatedKey(KeyInfo.of(stored), key)


def _revoke(connection: Connection, which: sa.ColumnElement[bool], now: datetime) -> None:
    connection.execute(
        sa.update(api_keys).where(which, api_keys.c.revoked_at.is_(None)).values(revoked_at=now)
    )


def _find(connection: Connection, wanted: str) -> sa.Row[Any]:
    if key_format.has_key_form(wanted):
        condition = api_keys.c.digest == key_format.digest(wanted)
    else:
        if len(wanted) < PREFIX_LENGTH:
            raise BadRequest(f"Give at least the first {PREFIX_LENGTH} characters of the key's id.")
        if not ID_START.fullmatch(wanted):
            raise NotFound(NO_SUCH_KEY)
        condition = api_keys.c.id.startswith(wanted.lower())
    rows = connection.execute(sa.select(api_keys).where(condition).limit(2)).all()
    if not rows:
        raise NotFound(NO_SUCH_KEY)
    if len(rows) > 1:
        raise BadRequest("Several keys have ids that begin so. Give more characters of the id.")
    return rows[0]


def _check_env(env: str) -> None:
    if not key_format.ENV.fullmatch(env) or len(env) > ENV_LENGTH:
        raise BadRequest(f"The env of a key is 1 to {ENV_LENGTH} letters a to z, such as live or test.")


def _expiry(now: datetime, expires_in: timedelta | None) -> datetime | None:
    if expires_in is None:
        return None
    if expires_in <= timedelta(0):
        raise BadRequest("A key must expire in the future.")
    try:
        return now + expires_in
    except OverflowError:
        raise BadRequest("The key would expire after the year 9999. Choose a shorter time.") from None
