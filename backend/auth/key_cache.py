"""Every usable key in memory, so that judging a request asks no database."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType

import sqlalchemy as sa
import structlog

from backend.auth import key_format
from backend.auth.last_used import LastUses
from backend.auth.model import rfc3339
from backend.auth.principal import Place, Principal, UnknownCredential
from backend.auth.service import LOCAL_ENV
from backend.auth.tables import api_keys
from backend.errors import Unauthorized
from backend.store.database import Database

log = structlog.get_logger(__name__)
CACHE_SIZE = 4096
UNKNOWN_FOR, MOST_UNKNOWN = 1.0, 1024
"""Seconds for which a key that the store did not know is refused without asking again, and how many such
are remembered: by then the reading that all processes make of a change knows every key."""
MOST_LOOKING = 2
"""Look-ups of unknown keys at one time: made-up keys cost the service no more threads than that."""
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
        self._unknown: dict[str, float] = {}
        self._looking = threading.BoundedSemaphore(MOST_LOOKING)
        self._uses = LastUses(database, api_keys)

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
            entry = self._look_up(keys, credential, place)
        elif entry.terminal is not (place is Place.TERMINAL_HEADER):
            raise _misplaced(place)
        now = self._clock()
        if entry.expires_at is not None and entry.expires_at <= now:
            raise Unauthorized(f"The key expired at {rfc3339(_moment(entry.expires_at))}. Ask for another.")
        self.touch(entry.principal.credential_id, now)
        return entry.principal

    def _look_up(self, keys: _Keys, credential: bytes, place: Place) -> _Entry:
        digest = key_format.digest(_checked(credential, place))
        entry = keys.by_digest.get(digest)
        if entry is None:
            raise UnknownCredential(NOT_VALID, partial(self.look_again, digest))
        if len(keys.by_bytes) >= CACHE_SIZE:
            keys.by_bytes.clear()
        keys.by_bytes[credential] = entry
        return entry

    def look_again(self, digest: str) -> bool:
        """Whether the store has a key of this digest that memory lacks; then the keys are read anew.

        False, without asking, for one that was not there a moment ago, and while others are looked for; a
        store that does not answer knows nothing either.
        """
        now = time.monotonic()
        if now - self._unknown.get(digest, -UNKNOWN_FOR) < UNKNOWN_FOR or not self._looking.acquire(False):
            return False
        try:
            wanted = sa.select(api_keys.c.id).where(
                api_keys.c.digest == digest, api_keys.c.revoked_at.is_(None)
            )
            with self._database.read() as connection:
                is_there = connection.execute(wanted).first() is not None
            if is_there:
                self.reload()
        except sa.exc.SQLAlchemyError as error:
            log.warning("key_not_looked_up", error=type(error).__name__)
            return False
        finally:
            self._looking.release()
        if not is_there:
            if len(self._unknown) >= MOST_UNKNOWN:
                self._unknown.clear()
            self._unknown[digest] = now
        return is_there

    def touch(self, key_id: str, at: float) -> None:
        """Remember that the key was used; nothing is written yet."""
        self._uses.touch(key_id, at)

    def flush_last_used(self) -> None:
        """Write the last uses; see :class:`~backend.auth.last_used.LastUses`."""
        self._uses.flush()


def _checked(credential: bytes, place: Place) -> str:
    """The text of a credential that has the form of a key for its place; raises :class:`Unauthorized`."""
    try:
        text = credential.decode("ascii")
    except UnicodeDecodeError:
        raise Unauthorized(
            "The credential holds characters that no key has. Check that it was copied whole."
        ) from None
    parsed = key_format.parse(text)
    if parsed is None:
        raise _malformed(text, place)
    if parsed.terminal is not (place is Place.TERMINAL_HEADER):
        raise _misplaced(place)
    return text


def _malformed(text: str, place: Place) -> Unauthorized:
    if key_format.has_key_form(text):
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
        id=row.id,
        name=row.name,
        kind=row.kind,
        scopes=frozenset(row.scopes.split()),
        credential_id=row.id,
        local=row.env == LOCAL_ENV,
    )
    expires_at = None if row.expires_at is None else row.expires_at.timestamp()
    return _Entry(principal, terminal=row.kind == "terminal", expires_at=expires_at)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
