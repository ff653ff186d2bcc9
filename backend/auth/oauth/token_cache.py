"""Access tokens in memory, so that a request with one that was seen before asks no database.

A token is looked up when it is first seen, and then known until it expires. What was revoked since is a set
of its own, which every process reads anew when the change counter moves: a second after the revocation. Since
the set stands over what is known, a look-up that was under way at that moment does no harm.

Neither the set nor the store keeps what has expired, and a clock that is set forth and back makes good again
what had. So whatever leaves the set, or has expired when the set is read, leaves memory too, and the store
judges it where it comes back.
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
from backend.auth.oauth.grants import usable
from backend.auth.oauth.tables import accounts, grants, tokens
from backend.auth.principal import CredentialHeader, Principal, UnknownCredential
from backend.errors import Unauthorized, Unavailable
from backend.store.database import Database

CACHE_SIZE = 16_384
UNKNOWN_TTL_SECONDS, MAX_UNKNOWN_DIGESTS = 1.0, 1024
"""Seconds for which a token that the store did not know is refused without asking again, and how many such
are remembered."""
MAX_CONCURRENT_LOOKUPS, PATIENCE_SECONDS = 8, 2.0
"""Look-ups at one time, and how long one waits for its turn: made-up tokens keep no more connections."""
NOT_VALID = (
    "The access token is not valid: it is unknown, expired or was revoked. Refresh it, or sign in again."
)


class InvalidToken(Unauthorized):
    """With the challenge of RFC 6750 section 3.1, by which clients know that they should refresh."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.headers["WWW-Authenticate"] = CHALLENGE


CHALLENGE = 'Bearer realm="chainproof", error="invalid_token", ApiKey realm="chainproof"'


class UnknownToken(UnknownCredential):
    """The same of a token that is not in memory."""

    def __init__(self, load_from_store: Callable[[], bool]) -> None:
        super().__init__(NOT_VALID, load_from_store)
        self.headers["WWW-Authenticate"] = CHALLENGE


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
        self._known: dict[bytes, _Entry] = {}
        self._adding = threading.Lock()
        self._revoked: frozenset[str] = frozenset()
        self._unknown: dict[str, float] = {}
        self._looking = threading.BoundedSemaphore(MAX_CONCURRENT_LOOKUPS)
        self._last_used = LastUsedBuffer(database, grants)

    def reload(self) -> None:
        """Read anew which tokens were revoked before they expired, and forget which are over."""
        now = self._now()
        over = sa.or_(tokens.c.revoked_at.is_not(None), grants.c.revoked_at.is_not(None))
        wanted = (
            sa.select(tokens.c.digest)
            .join(grants)
            .where(tokens.c.kind == "access", tokens.c.expires_at > now, over)
        )
        with self._database.read() as connection:
            revoked = frozenset(connection.execute(wanted).scalars())
        self._forget(self._revoked - revoked, now.timestamp())
        self._revoked = revoked

    def find(self, credential: bytes, header: CredentialHeader) -> Principal:
        """The account that the token stands for; raises :class:`Unauthorized` with what is wrong with it."""
        entry = self._known.get(credential)
        if entry is None:
            text = _checked(credential, header)
            raise UnknownToken(partial(self.load_from_store, text))
        if header is not CredentialHeader.BEARER:
            raise _misplaced(header)
        now = self._clock()
        if entry.digest in self._revoked or entry.expires_at <= now:
            raise InvalidToken(NOT_VALID)
        self._last_used.touch(entry.principal.credential_id, now)
        return entry.principal

    def load_from_store(self, text: str) -> bool:
        """Whether the store has this token and it is good; then it is known from here on.

        Raises :class:`Unavailable` when it is not this look-up's turn for too long. One that was not there a
        moment ago is not asked for.
        """
        digest, now = token_format.digest(text), time.monotonic()
        if now - self._unknown.get(digest, -UNKNOWN_TTL_SECONDS) < UNKNOWN_TTL_SECONDS:
            return False
        if not self._looking.acquire(timeout=PATIENCE_SECONDS):
            raise Unavailable(
                "The data store is slow at this moment. Please try again shortly.", retry_after=1
            )
        try:
            entry = self._stored(digest)
        finally:
            self._looking.release()
        if entry is None:
            if len(self._unknown) >= MAX_UNKNOWN_DIGESTS:
                self._unknown.clear()
            self._unknown[digest] = now
            return False
        with self._adding:
            while len(self._known) >= CACHE_SIZE:
                del self._known[next(iter(self._known))]  # the oldest: the newest is about to be used
            self._known[text.encode()] = entry
        return True

    def _forget(self, digests: frozenset[str], now: float) -> None:
        with self._adding:
            for credential, entry in list(self._known.items()):
                if entry.expires_at <= now or entry.digest in digests:
                    del self._known[credential]

    def flush_last_used(self) -> None:
        """Write the last uses of grants."""
        self._last_used.flush()

    def _stored(self, digest: str) -> _Entry | None:
        wanted = (
            sa.select(tokens, grants.c.account_id, accounts.c.username)
            .join(grants, grants.c.id == tokens.c.grant_id)
            .join(accounts, accounts.c.id == grants.c.account_id)
            .where(tokens.c.digest == digest, tokens.c.kind == "access", usable(self._now()))
        )
        with self._database.read() as connection:
            row = connection.execute(wanted).one_or_none()
        if row is None:
            return None
        principal = Principal(
            id=row.account_id,
            name=row.username,
            kind="oauth",
            scopes=frozenset(row.scopes.split()),
            credential_id=row.grant_id,
        )
        return _Entry(principal, digest, row.expires_at.timestamp())

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def _checked(credential: bytes, header: CredentialHeader) -> str:
    """The text of a credential that has the form of an access token; raises :class:`Unauthorized`."""
    text = credential.decode("ascii", "replace")
    kind = token_format.kind_of(text)
    if header is not CredentialHeader.BEARER:
        raise _misplaced(header)
    if kind is None:
        raise InvalidToken("The checksum of the token is wrong. Check that it was copied without a mistake.")
    if kind != "access":
        raise InvalidToken(f"This is no access token: it goes to /oauth/token as {WHERE[kind]}.")
    return text


WHERE = {"refresh": "refresh_token", "code": "code"}


def _misplaced(header: CredentialHeader) -> Unauthorized:
    return Unauthorized(f"{header.value} takes a key. A token goes in {CredentialHeader.BEARER.value}.")
