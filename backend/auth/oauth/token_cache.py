"""Caches access tokens in memory, so that known tokens need no database query.

A token is loaded from the store at its first use and cached until it expires or expired ones are deleted. A
separate set holds the revoked tokens. Every process reloads it when the change counter moves, about a second
after a revocation. The set takes precedence over the cache, so a look-up during the revocation does no harm.

Neither the set nor the store keeps expired tokens. If the clock is set forward and back, an expired token
becomes valid again. Tokens that leave the set or are expired at a reload therefore also leave the cache, and
the store decides at their next use. After a deletion of expired tokens the cache is emptied, since the clock
of the process that deleted them may have been wrong.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import sqlalchemy as sa

from backend.auth.last_used import LastUsedBuffer
from backend.auth.oauth import token_format
from backend.auth.oauth.grants import usable_token_condition
from backend.auth.oauth.tables import accounts, grants, tokens
from backend.auth.principal import CredentialHeader, Principal, UnknownCredential
from backend.errors import Unauthorized, Unavailable
from backend.store.database import Database

CACHE_SIZE = 16_384
UNKNOWN_TTL_SECONDS, MAX_UNKNOWN_DIGESTS = 1.0, 1024
"""Tokens missing from the store are refused from memory for this time, up to this number of tokens."""
MAX_CONCURRENT_LOOKUPS, LOOKUP_TIMEOUT_SECONDS = 8, 2.0
"""Limits the connections that requests with invented tokens can occupy, and the wait for one of them."""
NOT_VALID = (
    "The access token is not valid: it is unknown, expired or was revoked. Refresh it, or sign in again."
)


@dataclass(frozen=True, slots=True)
class _Entry:
    principal: Principal
    digest: str
    expires_at: float


class TokenCache:
    """A :class:`~backend.auth.principal.CredentialSource` of access tokens."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        """``clock`` gives seconds since the epoch."""
        self._database = database
        self._clock = clock
        self._entries: dict[bytes, _Entry] = {}
        self._entries_lock = threading.Lock()
        self._revoked: frozenset[str] = frozenset()
        self._reload_lock = threading.Lock()
        self._unknown_digests: dict[str, float] = {}
        self._lookup_slots = threading.BoundedSemaphore(MAX_CONCURRENT_LOOKUPS)
        self._last_used = LastUsedBuffer(database, grants)

    def reload(self) -> None:
        """Reload the set of revoked tokens, and drop expired and formerly revoked ones from the cache."""
        with self._reload_lock:  # else an older set could replace a newer one
            self._reload()

    def _reload(self) -> None:
        now = self._get_now()
        is_revoked = sa.or_(tokens.c.revoked_at.is_not(None), grants.c.revoked_at.is_not(None))
        query = (
            sa.select(tokens.c.digest)
            .join(grants)
            .where(tokens.c.kind == "access", tokens.c.expires_at > now, is_revoked)
        )
        with self._database.read() as connection:
            revoked = frozenset(connection.execute(query).scalars())
        self._remove_entries(self._revoked - revoked, now.timestamp())
        self._revoked = revoked

    def clear(self) -> None:
        """Forget all tokens, so that the store decides at their next use."""
        with self._entries_lock:
            self._entries = {}

    def find(self, credential: bytes, header: CredentialHeader) -> Principal:
        """Return the account that the token stands for; raises :class:`Unauthorized` with the reason."""
        entry = self._entries.get(credential)
        if entry is None:
            text = _validate_form(credential, header)
            raise UnknownCredential(NOT_VALID, partial(self.load_from_store, text))
        if header is not CredentialHeader.BEARER:
            raise _build_wrong_header_error(header)
        now = self._clock()
        if entry.digest in self._revoked or entry.expires_at <= now:
            raise Unauthorized(NOT_VALID)
        self._last_used.touch(entry.principal.credential_id, now)
        return entry.principal

    def load_from_store(self, text: str) -> bool:
        """Load the token from the store into the cache; returns whether it is valid.

        Returns false without a query if a recent query did not find it. Raises :class:`Unavailable` if no
        look-up slot is free within :data:`LOOKUP_TIMEOUT_SECONDS`.
        """
        digest, now, entries = token_format.digest(text), time.monotonic(), self._entries
        if now - self._unknown_digests.get(digest, -UNKNOWN_TTL_SECONDS) < UNKNOWN_TTL_SECONDS:
            return False
        if not self._lookup_slots.acquire(timeout=LOOKUP_TIMEOUT_SECONDS):
            raise Unavailable(
                "The data store is slow at this moment. Please try again shortly.", retry_after=1
            )
        try:
            entry = self._load_entry(digest)
        finally:
            self._lookup_slots.release()
        if entry is None:
            if len(self._unknown_digests) >= MAX_UNKNOWN_DIGESTS:
                self._unknown_digests.clear()
            self._unknown_digests[digest] = now
            return False
        with self._entries_lock:
            if entries is self._entries:
                while len(entries) >= CACHE_SIZE:
                    del entries[next(iter(entries))]  # the oldest: the newest is about to be used
                entries[text.encode()] = entry
                return True
        # The cache was emptied during the query, so the token may have been deleted since: query again.
        return self.load_from_store(text)

    def _remove_entries(self, digests: frozenset[str], now: float) -> None:
        with self._entries_lock:
            for credential, entry in list(self._entries.items()):
                if entry.expires_at <= now or entry.digest in digests:
                    del self._entries[credential]

    def flush_last_used(self) -> None:
        """Write the recorded uses of grants."""
        self._last_used.flush()

    def _load_entry(self, digest: str) -> _Entry | None:
        query = (
            sa.select(tokens, grants.c.account_id, grants.c.app_id, accounts.c.username)
            .join(grants, grants.c.id == tokens.c.grant_id)
            .join(accounts, accounts.c.id == grants.c.account_id)
            .where(
                tokens.c.digest == digest, tokens.c.kind == "access", usable_token_condition(self._get_now())
            )
        )
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        principal = Principal(
            id=row.account_id,
            name=row.username,
            kind="oauth",
            scopes=frozenset(row.scopes.split()),
            credential_id=row.grant_id,
            app_id=row.app_id,
        )
        return _Entry(principal, digest, row.expires_at.timestamp())

    def _get_now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def _validate_form(credential: bytes, header: CredentialHeader) -> str:
    """Decode a credential that has the form of an access token; raises :class:`Unauthorized`."""
    text = credential.decode("ascii", "replace")
    kind = token_format.kind_of(text)
    if header is not CredentialHeader.BEARER:
        raise _build_wrong_header_error(header)
    if kind is None:
        raise Unauthorized("The checksum of the token is wrong. Check that it was copied without a mistake.")
    if kind != "access":
        field = FORM_FIELD_BY_KIND[kind]
        raise Unauthorized(f"The token must be an access token. Send this one to /oauth/token as {field}.")
    return text


FORM_FIELD_BY_KIND = {"refresh": "refresh_token", "code": "code"}


def _build_wrong_header_error(header: CredentialHeader) -> Unauthorized:
    return Unauthorized(f"{header.value} takes a key. A token goes in {CredentialHeader.BEARER.value}.")
