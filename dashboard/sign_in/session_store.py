"""Everybody who is signed in at this process, and what is left to be revoked."""

import hashlib
import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from dashboard.sign_in.oauth_client import Refused, Tokens, Unavailable
from dashboard.sign_in.session import Session

IDLE_SECONDS = 12 * 3600.0
"""A session that nobody uses, without an open page, ends after so long."""
LONGEST_SECONDS = 30 * 24 * 3600.0
"""The longest life of a sign-in session at the service."""
MOST = 10_000
REVOKE_FOR_SECONDS = 3600.0
"""How long revoking is tried where the service does not answer: by then the access token is over, and nobody
has the refresh token any more."""
REVOKE_EVERY_SECONDS = 15.0
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Left:
    tokens: Tokens = field(repr=False)
    revoke: Callable[[Tokens], None]
    since: float
    next_at: float


class Sessions:
    """``revoke`` takes tokens back at the service; ``sign_out`` signs the person out there as well, so that
    the next visit asks for the password. ``clock`` counts seconds, monotonically."""

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
        self._known: OrderedDict[bytes, Session] = OrderedDict()
        self._left: deque[_Left] = deque()

    def open(self, session: Session) -> str:
        """Keep ``session``; what is returned is the one way to it, and is kept by the browser alone."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._known[_digest(secret)] = session
            over = self._known.popitem(last=False)[1] if len(self._known) > MOST else None
        left = over.end() if over is not None else None
        if left is not None:
            self.discard(left)
        return secret

    def find(self, secret: str | None) -> Session | None:
        """The session behind a browser's cookie; null for none and for one that has ended."""
        if not secret:
            return None
        digest = _digest(secret)
        with self._lock:
            session = self._known.get(digest)
            if session is not None:
                self._known.move_to_end(digest)
        if session is None or session.ended:
            return None
        session.used_at = self._clock()
        return session

    def end(self, session: Session) -> None:
        """End it here at once, and its tokens at the service as soon as that answers."""
        self._end(session, self._revoke)

    def sign_out(self, session: Session) -> bool:
        """The same, and sign the person out at the service. Whether the service answered."""
        return self._end(session, self._sign_out)

    def discard(self, tokens: Tokens) -> None:
        """Have tokens revoked that nobody holds any more, as soon as the service answers."""
        self._try_later(tokens, self._revoke)

    def all(self) -> list[Session]:
        with self._lock:
            return list(self._known.values())

    def tidy(self) -> None:
        """End what is over, and revoke what is left to be revoked."""
        now = self._clock()
        for session in self.all():
            if session.watched:
                session.used_at = now
            if now - session.used_at > IDLE_SECONDS or now - session.begun_at > LONGEST_SECONDS:
                self.end(session)
        with self._lock:
            for digest in [digest for digest, session in self._known.items() if session.ended]:
                del self._known[digest]
            due = [left for left in self._left if left.next_at <= now]
            self._left = deque(left for left in self._left if left.next_at > now)
        for left in due:
            if _is_answered(left.revoke, left.tokens):
                continue
            if now - left.since < REVOKE_FOR_SECONDS:
                left.next_at = now + REVOKE_EVERY_SECONDS
                with self._lock:
                    self._left.append(left)
            else:
                log.warning("Tokens of an ended session could not be revoked: no answer.")

    def _end(self, session: Session, revoke: Callable[[Tokens], None]) -> bool:
        tokens = session.end()
        if tokens is None or _is_answered(revoke, tokens):
            return True
        self._try_later(tokens, revoke)
        return False

    def _try_later(self, tokens: Tokens, revoke: Callable[[Tokens], None]) -> None:
        now = self._clock()
        with self._lock:
            self._left.append(_Left(tokens, revoke, now, now))


def _is_answered(revoke: Callable[[Tokens], None], tokens: Tokens) -> bool:
    try:
        revoke(tokens)
    except Unavailable:
        return False
    except Refused as refusal:  # e.g. the application was revoked, and its tokens with it
        log.info("The service revoked no tokens: %s.", refusal.error)
    return True


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
