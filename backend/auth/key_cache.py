"""Caches all usable keys in memory, so that authentication needs no database query."""

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
from backend.auth.api_keys import format_rfc3339
from backend.auth.last_used import LastUsedBuffer
from backend.auth.principal import CredentialHeader, Principal, UnknownCredential
from backend.auth.service import LOCAL_ENV
from backend.auth.tables import api_keys
from backend.errors import Unauthorized
from backend.store.database import Database

log = structlog.get_logger(__name__)
CACHE_SIZE = 4096
UNKNOWN_TTL_SECONDS, MAX_UNKNOWN_DIGESTS = 1.0, 1024
"""Keys missing from the store are refused from memory for this time, up to this number of keys. After it
every process has reloaded the keys, since the change watcher reports new ones."""
MAX_CONCURRENT_LOOKUPS = 2
"""Limits the threads that requests with invented keys can occupy."""
INVALID_KEY = "The key is not valid: it is unknown or was revoked. Check it, or ask for another."


@dataclass(frozen=True, slots=True)
class _Entry:
    principal: Principal
    terminal: bool
    expires_at: float | None


@dataclass(frozen=True, slots=True)
class _Keys:
    """One snapshot of the stored keys, and the header values already resolved against it."""

    by_digest: Mapping[str, _Entry] = field(default_factory=dict)
    by_header_value: dict[bytes, _Entry] = field(default_factory=dict)


class KeyCache:
    """A :class:`~backend.auth.principal.CredentialSource` of API keys and terminal keys.

    It is empty until :meth:`reload`. Keys are looked up by digest, so the time of a look-up reveals
    nothing about a stored key: two keys with a common prefix have unrelated digests.
    ``_Keys.by_header_value`` holds valid keys only, as keys of a dict. Python compares their bytes only if
    a 64-bit hash agrees, whose seed differs in each process.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        """``clock`` gives seconds since the epoch."""
        self._database = database
        self._clock = clock
        self._keys = _Keys()
        self._reload_lock = threading.Lock()
        self._unknown_digests: dict[str, float] = {}
        self._lookup_slots = threading.BoundedSemaphore(MAX_CONCURRENT_LOOKUPS)
        self._last_used = LastUsedBuffer(database, api_keys)

    def reload(self) -> None:
        """Load the keys; replaces the former snapshot and its header values at once."""
        with self._reload_lock:  # else an older snapshot could replace a newer one
            with self._database.read() as connection:
                rows = connection.execute(sa.select(api_keys).where(api_keys.c.revoked_at.is_(None))).all()
            self._keys = _Keys(by_digest=MappingProxyType({row.digest: _build_entry(row) for row in rows}))

    def find(self, credential: bytes, header: CredentialHeader) -> Principal:
        """Return the holder of the key; raises :class:`Unauthorized` with the reason."""
        keys = self._keys  # one snapshot throughout, even if reload() runs meanwhile
        entry = keys.by_header_value.get(credential)
        if entry is None:
            entry = self._find_by_digest(keys, credential, header)
        elif entry.terminal is not (header is CredentialHeader.TERMINAL_KEY):
            raise _build_wrong_header_error(header)
        now = self._clock()
        if entry.expires_at is not None and entry.expires_at <= now:
            raise Unauthorized(
                f"The key expired at {format_rfc3339(_to_datetime(entry.expires_at))}. Ask for another."
            )
        self.touch(entry.principal.credential_id, now)
        return entry.principal

    def _find_by_digest(self, keys: _Keys, credential: bytes, header: CredentialHeader) -> _Entry:
        digest = key_format.digest(_validate_form(credential, header))
        entry = keys.by_digest.get(digest)
        if entry is None:
            raise UnknownCredential(INVALID_KEY, partial(self.load_from_store, digest))
        if len(keys.by_header_value) >= CACHE_SIZE:
            keys.by_header_value.clear()
        keys.by_header_value[credential] = entry
        return entry

    def load_from_store(self, digest: str) -> bool:
        """Look for a key with this digest in the store, and reload all keys if it exists.

        Returns whether it exists. Returns false without a query if a recent query did not find it, or if
        :data:`MAX_CONCURRENT_LOOKUPS` queries are running; false too if the store fails.
        """
        now = time.monotonic()
        if now - self._unknown_digests.get(
            digest, -UNKNOWN_TTL_SECONDS
        ) < UNKNOWN_TTL_SECONDS or not self._lookup_slots.acquire(False):
            return False
        try:
            query = sa.select(api_keys.c.id).where(
                api_keys.c.digest == digest, api_keys.c.revoked_at.is_(None)
            )
            with self._database.read() as connection:
                is_there = connection.execute(query).first() is not None
            if is_there:
                self.reload()
        except sa.exc.SQLAlchemyError as error:
            log.warning("key_lookup_failed", error=type(error).__name__)
            return False
        finally:
            self._lookup_slots.release()
        if not is_there:
            if len(self._unknown_digests) >= MAX_UNKNOWN_DIGESTS:
                self._unknown_digests.clear()
            self._unknown_digests[digest] = now
        return is_there

    def touch(self, key_id: str, at: float) -> None:
        """Record in memory that the key was used at ``at``, in seconds since the epoch."""
        self._last_used.touch(key_id, at)

    def flush_last_used(self) -> None:
        """Write the recorded uses to the store; see :class:`~backend.auth.last_used.LastUsedBuffer`."""
        self._last_used.flush()


def _validate_form(credential: bytes, header: CredentialHeader) -> str:
    """Decode a credential that has the form of a key for its header; raises :class:`Unauthorized`."""
    try:
        text = credential.decode("ascii")
    except UnicodeDecodeError:
        raise Unauthorized(
            "The credential holds characters that no key has. Check that it was copied whole."
        ) from None
    parsed = key_format.parse(text)
    if parsed is None:
        raise _build_malformed_error(text, header)
    if parsed.terminal is not (header is CredentialHeader.TERMINAL_KEY):
        raise _build_wrong_header_error(header)
    return text


def _build_malformed_error(text: str, header: CredentialHeader) -> Unauthorized:
    if key_format.has_key_form(text):
        return Unauthorized("The checksum of the key is wrong. Check that it was copied without a mistake.")
    is_terminal = header is CredentialHeader.TERMINAL_KEY
    kind, prefix = ("a terminal key", "cpt") if is_terminal else ("an API key", "cp")
    form = f"{prefix}_{{env}}v1{{random}}_{{checksum}}"
    return Unauthorized(f"The credential in {header.value} is not {kind}, which has the form {form}.")


def _build_wrong_header_error(header: CredentialHeader) -> Unauthorized:
    if header is CredentialHeader.TERMINAL_KEY:
        return Unauthorized(f"{header.value} takes a terminal key (cpt_). An API key goes in CP-X-API-KEY.")
    return Unauthorized(
        f"{header.value} takes an API key (cp_). A terminal key goes in X-CP-TERMINAL-API-KEY."
    )


def _build_entry(row: sa.Row[tuple[object, ...]]) -> _Entry:
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


def _to_datetime(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
