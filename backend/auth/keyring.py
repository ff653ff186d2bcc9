"""Every usable key in memory, so that judging a request asks no database."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType

import sqlalchemy as sa

from backend.auth import keyformat
from backend.auth.principal import Place, Principal
from backend.auth.records import rfc3339
from backend.auth.tables import api_keys
from backend.db import Database
from backend.errors import Unauthorized

CACHE_SIZE = 4096
NOT_VALID = "The key is not valid: it is unknown or was revoked. Check it, or ask for another."


@dataclass(frozen=True, slots=True)
class _Entry:
    principal: Principal
    terminal: bool
    expires_at: float | None


@dataclass(frozen=True, slots=True)
class _Keys:
    """One reading of the store, and what was found in it by the bytes of a header."""

    by_digest: Mapping[str, _Entry] = field(default_factory=dict)
    by_bytes: dict[bytes, _Entry] = field(default_factory=dict)


class Keyring:
    """A :class:`~backend.auth.principal.CredentialSource` of API keys and terminal keys.

    It is empty until :meth:`reload`. Keys are looked up by digest, so how long a look-up takes says
    nothing about a stored key: two keys that share a beginning have unrelated digests. The cache in
    front of it holds valid keys alone, as keys of a dict, whose bytes are compared only when a
    64-bit hash seeded anew in each process agrees.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        """``clock`` gives seconds since the epoch."""
        self._database = database
        self._clock = clock
        self._keys = _Keys()
        self._reloading = threading.Lock()
        self._used: dict[str, float] = {}
        self._using = threading.Lock()

    def reload(self) -> None:
        """Read the keys anew; the former reading and its cache go at once, together."""
        with self._reloading:  # or an older reading could replace a newer one
            with self._database.read() as connection:
                rows = connection.execute(sa.select(api_keys).where(api_keys.c.revoked_at.is_(None))).all()
            self._keys = _Keys(by_digest=MappingProxyType({row.digest: _entry(row) for row in rows}))

    def find(self, credential: bytes, place: Place) -> Principal:
        """The holder of the key; raises :class:`Unauthorized` with what is wrong with it."""
        keys = self._keys  # one reading throughout, whatever reload() does meanwhile
        entry = keys.by_bytes.get(credential)
        if entry is None:
            entry = _look_up(keys, credential, place)
        elif entry.terminal is not (place is Place.TERMINAL_HEADER):
            raise _misplaced(place)
        now = self._clock()
        if entry.expires_at is not None and entry.expires_at <= now:
            raise Unauthorized(f"The key expired at {rfc3339(_moment(entry.expires_at))}. Ask for another.")
        self.touch(entry.principal.credential_id, now)
        return entry.principal

    def touch(self, key_id: str, at: float) -> None:
        """Remember that the key was used; nothing is written yet."""
        with self._using:
            self._used[key_id] = at

    def flush_last_used(self) -> None:
        """Write the last uses in one batch; nothing is lost when the database refuses.

        The change counter is left alone: nobody need reload keys because they were used.
        """
        with self._using:
            used, self._used = self._used, {}
        if not used:
            return
        try:
            self._write(used)
        except BaseException:
            with self._using:
                self._used = used | self._used
            raise

    def _write(self, used: Mapping[str, float]) -> None:
        at = sa.bindparam("at", type_=api_keys.c.last_used_at.type)
        statement = (
            sa.update(api_keys)
            .where(api_keys.c.id == sa.bindparam("key_id"))
            .where(sa.or_(api_keys.c.last_used_at.is_(None), api_keys.c.last_used_at < at))
            .values(last_used_at=at)
        )
        # In one order everywhere: two processes that lock the same rows crosswise would deadlock.
        rows = [{"key_id": key_id, "at": _moment(used[key_id])} for key_id in sorted(used)]
        with self._database.write() as connection:
            connection.execute(statement, rows)


def _look_up(keys: _Keys, credential: bytes, place: Place) -> _Entry:
    try:
        text = credential.decode("ascii")
    except UnicodeDecodeError:
        raise Unauthorized(
            "The credential holds characters that no key has. Check that it was copied whole."
        ) from None
    parsed = keyformat.parse(text)
    if parsed is None:
        raise _malformed(text, place)
    if parsed.terminal is not (place is Place.TERMINAL_HEADER):
        raise _misplaced(place)
    entry = keys.by_digest.get(keyformat.digest(text))
    if entry is None:
        raise Unauthorized(NOT_VALID)
    if len(keys.by_bytes) >= CACHE_SIZE:
        keys.by_bytes.clear()
    keys.by_bytes[credential] = entry
    return entry


def _malformed(text: str, place: Place) -> Unauthorized:
    if keyformat.has_key_form(text):
        return Unauthorized("The checksum of the key is wrong. Check that it was copied without a mistake.")
    what, start = ("a terminal key", "cpt") if place is Place.TERMINAL_HEADER else ("an API key", "cp")
    form = f"{start}_{{env}}v1{{random}}_{{checksum}}"
    return Unauthorized(f"The credential in {place.value} is not {what}, which has the form {form}.")


def _misplaced(place: Place) -> Unauthorized:
    if place is Place.TERMINAL_HEADER:
        return Unauthorized(f"{place.value} takes a terminal key (cpt_). An API key goes in CP-X-API-KEY.")
    return Unauthorized(
        f"{place.value} takes an API key (cp_). A terminal key goes in X-CP-TERMINAL-API-KEY."
    )


def _entry(row: sa.Row[tuple[object, ...]]) -> _Entry:
    principal = Principal(
        id=row.id, name=row.name, kind=row.kind, scopes=frozenset(row.scopes.split()), credential_id=row.id
    )
    expires_at = None if row.expires_at is None else row.expires_at.timestamp()
    return _Entry(principal, terminal=row.kind == "terminal", expires_at=expires_at)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
