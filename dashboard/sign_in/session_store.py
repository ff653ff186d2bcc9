"""Stores the sessions of this process, and retries revocations of tokens."""

import hashlib
import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from dashboard.sign_in.oauth_client import OAuthError, ServiceUnavailableError, Tokens
from dashboard.sign_in.session import Session

IDLE_TIMEOUT_SECONDS = 12 * 3600.0
"""An unused session without an open page ends after this time."""
MAX_SESSION_SECONDS = 30 * 24 * 3600.0
"""Maximum lifetime of a sign-in session at the service."""
MAX_SESSIONS = 10_000
REVOCATION_TIMEOUT_SECONDS = 3600.0
"""Revocation is retried up to this time. By then the access token has expired, and nobody holds the refresh
token."""
REVOCATION_RETRY_SECONDS = 15.0
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _PendingRevocation:
    tokens: Tokens = field(repr=False)
    revoke: Callable[[Tokens], None]
    queued_at: float
    retry_at: float


class SessionStore:
    """Sessions by the secret in the browser's cookie.

    ``revoke`` revokes tokens at the service. ``sign_out`` also signs the person out there, so that the next
    visit asks for the password. ``clock`` returns monotonic seconds.
    """

    def __init__(
        self,
        revoke: Callable[[Tokens], None],
        sign_out: Callable[[Tokens], None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._revoke = revoke
        self._sign_out = sign_out
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: OrderedDict[bytes, Session] = OrderedDict()
        self._pending_revocations: deque[_PendingRevocation] = deque()

    def add(self, session: Session) -> str:
        """Store ``session``; returns its secret, which only the browser keeps."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._sessions[_hash_secret(secret)] = session
            evicted = self._sessions.popitem(last=False)[1] if len(self._sessions) > MAX_SESSIONS else None
        pending = evicted.end() if evicted is not None else None
        if pending is not None:
            self.queue_revocation(pending)
        return secret

    def find(self, secret: str | None) -> Session | None:
        """Find the session of a browser's cookie; None if there is none or it has ended."""
        if not secret:
            return None
        digest = _hash_secret(secret)
        with self._lock:
            session = self._sessions.get(digest)
            if session is not None:
                self._sessions.move_to_end(digest)
        if session is None or session.ended:
            return None
        session.used_at = self._clock()
        return session

    def end(self, session: Session) -> None:
        """End a session at once, and revoke its tokens as soon as the service responds."""
        self._end(session, self._revoke)

    def sign_out(self, session: Session) -> bool:
        """End a session and sign the person out at the service; returns whether the service responded."""
        return self._end(session, self._sign_out)

    def queue_revocation(self, tokens: Tokens) -> None:
        """Revoke unused tokens as soon as the service responds."""
        self._add_pending_revocation(tokens, self._revoke)

    def list_all(self) -> list[Session]:
        with self._lock:
            return list(self._sessions.values())

    def cleanup(self) -> None:
        """End expired sessions, and retry pending revocations."""
        now = self._clock()
        for session in self.list_all():
            if session.has_open_page:
                session.used_at = now
            if now - session.used_at > IDLE_TIMEOUT_SECONDS or now - session.started_at > MAX_SESSION_SECONDS:
                self.end(session)
        with self._lock:
            for digest in [digest for digest, session in self._sessions.items() if session.ended]:
                del self._sessions[digest]
            due = [pending for pending in self._pending_revocations if pending.retry_at <= now]
            self._pending_revocations = deque(
                pending for pending in self._pending_revocations if pending.retry_at > now
            )
        for pending in due:
            if _try_revoke(pending.revoke, pending.tokens):
                continue
            if now - pending.queued_at < REVOCATION_TIMEOUT_SECONDS:
                pending.retry_at = now + REVOCATION_RETRY_SECONDS
                with self._lock:
                    self._pending_revocations.append(pending)
            else:
                log.warning("Tokens of an ended session could not be revoked: the service does not respond.")

    def _end(self, session: Session, revoke: Callable[[Tokens], None]) -> bool:
        tokens = session.end()
        if tokens is None or _try_revoke(revoke, tokens):
            return True
        self._add_pending_revocation(tokens, revoke)
        return False

    def _add_pending_revocation(self, tokens: Tokens, revoke: Callable[[Tokens], None]) -> None:
        now = self._clock()
        with self._lock:
            self._pending_revocations.append(_PendingRevocation(tokens, revoke, now, now))


def _try_revoke(revoke: Callable[[Tokens], None], tokens: Tokens) -> bool:
    try:
        revoke(tokens)
    except ServiceUnavailableError:
        return False
    except OAuthError as error:  # e.g. the application was revoked, and its tokens with it
        log.info("The service rejected a revocation: %s.", error.error)
    return True


def _hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
