"""Creates, lists and revokes API keys, and maintains the local key for programs on the same machine."""

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
from backend.auth.api_keys import CreatedKey, KeyInfo
from backend.auth.display_names import validate_name
from backend.auth.principal import FEED_SCOPE, SCOPES, Scope, validate_scopes
from backend.auth.tables import api_keys
from backend.errors import BadRequest, NotFound
from backend.store.database import Database, bump

CHANGE_TOPIC = "api_keys"
"""The change counter of keys; caches of keys reload when it moves."""
LOCAL_ENV = "local"
LOCAL_NAME_PREFIX = "local key of "
LOCAL_SCOPES: tuple[Scope, ...] = SCOPES
LOCAL_KEY_LOCK_ID = 0x43_50_4C_4B  # "CPLK": an advisory lock number that nothing else uses
MAX_ENV_CHARS = 32
MIN_ID_PREFIX_CHARS = 4
ID_PREFIX = re.compile(r"[0-9A-Fa-f-]+")
NO_SUCH_KEY = "No key has this id. 'chainproof keys list' shows the ids."
DURATION_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def create_key(
    database: Database,
    *,
    name: str,
    scopes: Iterable[str] = (),
    env: str = "live",
    expires_in: timedelta | None = None,
    terminal: bool = False,
    feed: bool = False,
    now: datetime,
) -> CreatedKey:
    """Create and store a key. A terminal key has no scopes, and a feed token the scope ``feed`` alone.

    Raises :class:`BadRequest` for a bad name, scope, env or expiry, and for a terminal key or a feed token
    with scopes.
    """
    name, chosen = validate_name(name, "a key"), validate_scopes(scopes)
    _validate_env(env)
    if env == LOCAL_ENV and name.startswith(LOCAL_NAME_PREFIX):
        raise BadRequest(
            f"Names that begin with '{LOCAL_NAME_PREFIX}' are kept for keys that the service creates itself. "
            "Choose another."
        )
    if terminal and chosen:
        raise BadRequest(
            "A terminal key opens topic media alone and has no scopes. Leave out --terminal or --scope."
        )
    if feed and (terminal or chosen):
        raise BadRequest(
            "A feed token opens web feeds alone, because it is part of their address. "
            "Leave out --scope and --terminal."
        )
    if feed:
        chosen = (FEED_SCOPE,)
    if not terminal and not chosen:
        raise BadRequest(f"A key needs at least one scope of {', '.join(SCOPES)}.")
    with database.write() as connection:
        return _insert_key(
            connection,
            name=name,
            scopes=chosen,
            env=env,
            expires_at=_compute_expiry(now, expires_in),
            terminal=terminal,
            now=now,
        )


def list_keys(database: Database) -> list[KeyInfo]:
    """List all keys, oldest first, with expired and revoked ones.

    ``last_used_at`` may be half a minute behind.
    """
    with database.read() as connection:
        rows = connection.execute(sa.select(api_keys).order_by(api_keys.c.created_at, api_keys.c.id))
        return [KeyInfo.from_row(row) for row in rows]


def revoke_key(database: Database, id_or_prefix: str, now: datetime) -> KeyInfo:
    """Revoke the key with this id, this prefix of its id (4 characters or more) or this text.

    Revoking twice changes nothing. Raises :class:`NotFound` when no key matches and :class:`BadRequest`
    when several do.
    """
    with database.write() as connection:
        key_row = _find_key(connection, id_or_prefix.strip())
        if key_row.revoked_at is None:
            _revoke(connection, api_keys.c.id == key_row.id, now)
            bump(connection, CHANGE_TOPIC)
        return KeyInfo.from_row(
            connection.execute(sa.select(api_keys).where(api_keys.c.id == key_row.id)).one()
        )


def parse_duration(text: str) -> timedelta:
    """Parse ``30s``, ``15m``, ``12h``, ``90d`` or ``4w``; other text and zero raise :class:`BadRequest`."""
    match = re.fullmatch(r"([0-9]+)([smhdw])", text.strip())
    try:
        length = timedelta(**{DURATION_UNITS[match[2]]: int(match[1])}) if match else timedelta(0)
    except (OverflowError, ValueError):  # int() refuses thousands of digits with a ValueError
        raise BadRequest("The duration is too long. Give a shorter one, such as 90d.") from None
    if not length:
        raise BadRequest("A duration is a whole number above zero and one of s, m, h, d, w, such as 90d.")
    return length


def ensure_local_key(database: Database, file: Path, now: datetime) -> None:
    """Ensure that ``file`` holds a valid key for programs on this machine.

    Creates a key if the store has none for this file. Replaces and revokes the former key if the file is
    lost or holds a key that the store does not know. Does not replace a local key that an operator
    revoked, whether or not its file still exists. A local key that an earlier version created without some
    scope gets all scopes.

    Several processes may start at once: one creates the key under the store's lock, the others find it.
    The file is written before the commit. A process killed between the two leaves a file with an unknown
    key, which the next start replaces.
    """
    with database.read() as connection:
        text = local_key_file.read(file)
        is_known = _is_known(connection, text)
        lacks_scopes = is_known and connection.execute(_select_outdated(text)).first() is not None
    if lacks_scopes:
        with database.write() as connection:
            ids = _select_outdated(text).scalar_subquery()
            widened = sa.update(api_keys).where(api_keys.c.id.in_(ids))
            connection.execute(widened.values(scopes=" ".join(LOCAL_SCOPES)))
            bump(connection, CHANGE_TOPIC)
    if not is_known:
        with database.write() as connection:  # on SQLite BEGIN IMMEDIATE is the lock
            if not database.is_sqlite:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCAL_KEY_LOCK_ID)))
            text = local_key_file.read(file)
            if _is_known(connection, text) or (text is None and _was_revoked_on_purpose(connection, file)):
                return
            _make_local_key(connection, file, now)
    local_key_file.make_private(file)


def _build_local_key_name(file: Path) -> str:
    """Build a name unique to the key file: several machines or data folders may share a store."""
    host = socket.gethostname()
    file_hash = hashlib.sha256(f"{host}\n{file.absolute()}".encode()).hexdigest()[:8]
    return f"{LOCAL_NAME_PREFIX}{host[:60]} ({file_hash})"


def _is_local_key_of(file: Path) -> sa.ColumnElement[bool]:
    return sa.and_(api_keys.c.env == LOCAL_ENV, api_keys.c.name == _build_local_key_name(file))


def _is_known(connection: Connection, text: str | None) -> bool:
    if not text:
        return False
    query = sa.select(api_keys.c.id).where(api_keys.c.digest == key_format.digest(text))
    return connection.execute(query).first() is not None


def _select_outdated(text: str | None) -> sa.Select[tuple[str]]:
    """Select the local key with this text if it lacks scopes. Keys of an operator keep theirs."""
    return sa.select(api_keys.c.id).where(
        api_keys.c.digest == key_format.digest(text or ""),
        api_keys.c.env == LOCAL_ENV,
        api_keys.c.name.startswith(LOCAL_NAME_PREFIX),
        api_keys.c.scopes != " ".join(LOCAL_SCOPES),
    )


def _was_revoked_on_purpose(connection: Connection, file: Path) -> bool:
    revoked_at = (
        connection.execute(sa.select(api_keys.c.revoked_at).where(_is_local_key_of(file))).scalars().all()
    )
    return bool(revoked_at) and None not in revoked_at


def _make_local_key(connection: Connection, file: Path, now: datetime) -> None:
    _revoke(connection, _is_local_key_of(file), now)
    created = _insert_key(
        connection,
        name=_build_local_key_name(file),
        scopes=LOCAL_SCOPES,
        env=LOCAL_ENV,
        expires_at=None,
        terminal=False,
        now=now,
    )
    local_key_file.write(file, created.key)


def _insert_key(
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
    bump(connection, CHANGE_TOPIC)
    stored = connection.execute(sa.select(api_keys).where(api_keys.c.id == row["id"])).one()
    return CreatedKey(KeyInfo.from_row(stored), key)


def _revoke(connection: Connection, condition: sa.ColumnElement[bool], now: datetime) -> None:
    connection.execute(
        sa.update(api_keys).where(condition, api_keys.c.revoked_at.is_(None)).values(revoked_at=now)
    )


def _find_key(connection: Connection, id_prefix_or_key: str) -> sa.Row[Any]:
    if key_format.has_key_form(id_prefix_or_key):
        condition = api_keys.c.digest == key_format.digest(id_prefix_or_key)
    else:
        if len(id_prefix_or_key) < MIN_ID_PREFIX_CHARS:
            raise BadRequest(f"Give at least the first {MIN_ID_PREFIX_CHARS} characters of the key's id.")
        if not ID_PREFIX.fullmatch(id_prefix_or_key):
            raise NotFound(NO_SUCH_KEY)
        condition = api_keys.c.id.startswith(id_prefix_or_key.lower())
    rows = connection.execute(sa.select(api_keys).where(condition).limit(2)).all()
    if not rows:
        raise NotFound(NO_SUCH_KEY)
    if len(rows) > 1:
        raise BadRequest("Several keys have ids with this prefix. Give more characters of the id.")
    return rows[0]


def _validate_env(env: str) -> None:
    if not key_format.ENV.fullmatch(env) or len(env) > MAX_ENV_CHARS:
        raise BadRequest(f"The env of a key is 1 to {MAX_ENV_CHARS} letters a to z, such as live or test.")


def _compute_expiry(now: datetime, expires_in: timedelta | None) -> datetime | None:
    if expires_in is None:
        return None
    if expires_in <= timedelta(0):
        raise BadRequest("A key must expire in the future.")
    try:
        return now + expires_in
    except OverflowError:
        raise BadRequest("The key would expire after the year 9999. Choose a shorter time.") from None
