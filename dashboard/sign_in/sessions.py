"""Everybody who is signed in at this process, and what is left to be revoked."""

import hashlib
import logging
import re
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from dashboard.sign_in.authority import Refused, Tokens, Unavailable
from dashboard.sign_in.folder import Folder
from dashboard.sign_in.seal import Kept, Seal
from dashboard.sign_in.session import Renew, Session

IDLE_SECONDS = 12 * 3600.0
"""A session that nobody uses, without an open page, ends after so long."""
LONGEST_SECONDS = 30 * 24 * 3600.0
"""The life of a refresh token: then people sign in again, whatever they do."""
MOST = 10_000
REVOKE_FOR_SECONDS = 3600.0
"""How long revoking is tried where the service does not answer: by then the access token is over, and nobody
has the refresh token any more."""
REVOKE_EVERY_SECONDS = 15.0
NOTES_AT_ONCE = 20
"""Sessions that are written down each time: enough for all within ten minutes, and never a long wait."""
SWEEP_SECONDS = 60.0
AHEAD_SECONDS = 300.0
"""A session that was used so long after now is over: a clock was put back, and would lengthen its life."""
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Left:
    tokens: Tokens = field(repr=False)
    since: float
    next_at: float


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where sessions outlive this process: in ``folder``, sealed for ``service``, the address that is asked,
    where ``renew`` gives new tokens for old ones."""

    folder: Folder
    service: str
    renew: Renew


class Sessions:
    """``revoke`` takes tokens back at the service. Without a ``shelf`` all end with this process. ``clock``
    counts seconds, monotonically; ``wall`` since 1970."""

    def __init__(
        self,
        revoke: Callable[[Tokens], None],
        *,
        shelf: Shelf | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._revoke = revoke
        self._shelf = shelf
        self._clock = clock
        self._wall = wall
        self._sweep_at = clock()
        self._adopting = threading.Lock()
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, Session] = OrderedDict()
        self._left: deque[_Left] = deque()

    def open(self, session: Session) -> str:
        """Keep ``session``; what is returned is the one way to it, and is kept by the browser alone."""
        secret = secrets.token_urlsafe(32)
        if self._shelf is not None:
            session.keep(_Place(self._shelf.folder, Seal(secret, self._shelf.service)))
        self._add(_digest(secret), session)
        return secret

    def may_be_on_disk(self, secret: str | None) -> bool:
        """Whether :meth:`find` has to look there, and may wait for it; else it is only a look into memory."""
        if not secret or self._shelf is None or not _SECRET.fullmatch(secret):
            return False
        return self._of_here(_digest(secret)) is None

    def find(self, secret: str | None, *, on_disk: bool = True) -> Session | None:
        """The session behind a browser's cookie; null for none and for one that has ended. Raises
        :class:`~dashboard.sign_in.folder.Held` for one that another process holds."""
        if not secret:
            return None
        digest = _digest(secret)
        session = self._of_here(digest)
        if session is None and on_disk and self._shelf is not None and _SECRET.fullmatch(secret):
            with self._adopting:  # two tabs may come at once
                session = self._of_here(digest)
                if session is None:
                    session = self._adopted(Seal(secret, self._shelf.service), self._shelf)
                    if session is not None:
                        self._add(digest, session)
        if session is None or session.ended:
            return None
        session.used_at = self._clock()
        return session

    def end(self, session: Session) -> bool:
        """Sign out: at once here, and at the service if it answers. Whether it did."""
        tokens = session.end()
        if tokens is None or self._try_to_revoke(tokens):
            return True
        self.discard(tokens)
        return False

    def leave(self) -> None:
        """Hold nobody's tokens any more; nothing is revoked, since another process goes on with them."""
        for session in self.all():
            session.leave()

    def discard(self, tokens: Tokens) -> None:
        """Have tokens revoked that nobody holds any more, as soon as the service answers."""
        now = self._clock()
        with self._lock:
            self._left.append(_Left(tokens, now, now))

    def all(self) -> list[Session]:
        with self._lock:
            return list(self._known.values())

    def tidy(self) -> None:
        """End what is over, and revoke what is left to be revoked."""
        now, notes = self._clock(), 0
        for session in self.all():
            if session.watched:
                session.used_at = now
            if now - session.used_at > IDLE_SECONDS or now - session.begun_at > LONGEST_SECONDS:
                self.end(session)
            elif self._shelf is not None and notes < NOTES_AT_ONCE:
                notes += session.note()
        if self._shelf is not None and now >= self._sweep_at:
            self._sweep_at = now + SWEEP_SECONDS
            self._shelf.folder.sweep(IDLE_SECONDS, AHEAD_SECONDS)
        with self._lock:
            for digest in [digest for digest, session in self._known.items() if session.ended]:
                del self._known[digest]
            due = [left for left in self._left if left.next_at <= now]
            self._left = deque(left for left in self._left if left.next_at > now)
        for left in due:
            if self._try_to_revoke(left.tokens):
                continue
            if now - left.since < REVOKE_FOR_SECONDS:
                left.next_at = now + REVOKE_EVERY_SECONDS
                with self._lock:
                    self._left.append(left)
            else:
                log.warning("Tokens of an ended session could not be revoked: no answer.")

    def _of_here(self, digest: bytes) -> Session | None:
        """One that this process holds, or held until it ended."""
        with self._lock:
            session = self._known.get(digest)
            if session is not None:
                self._known.move_to_end(digest)
            return session

    def _add(self, digest: bytes, session: Session) -> None:
        with self._lock:
            self._known[digest] = session
            over = self._known.popitem(last=False)[1] if len(self._known) > MOST else None
        left = over.end() if over is not None else None
        if left is not None:
            self.discard(left)

    def _adopted(self, seal: Seal, shelf: Shelf) -> Session | None:
        """A session of a process that is gone, for whoever came back to it in time."""
        content = shelf.folder.adopt(seal.name)
        if content is None:
            return None
        place, kept = _Place(shelf.folder, seal), seal.open(content)
        if kept is None:
            log.warning("A former sign-in could not be opened, and was removed.")
            place.drop()
            return None
        if self._is_over(kept):
            place.drop()
            self.discard(kept.tokens)
            return None
        return Session.again(kept, shelf.renew, self.discard, place, clock=self._clock, wall=self._wall)

    def _is_over(self, kept: Kept) -> bool:
        unused, life = self._wall() - kept.used_at, self._wall() - kept.begun_at
        return not (-AHEAD_SECONDS <= unused <= IDLE_SECONDS and -AHEAD_SECONDS <= life <= LONGEST_SECONDS)

    def _try_to_revoke(self, tokens: Tokens) -> bool:
        try:
            self._revoke(tokens)
        except Unavailable:
            return False
        except Refused as refusal:  # e.g. the application was revoked, and its tokens with it
            log.info("The service revoked no tokens: %s.", refusal.error)
        return True


@dataclass(frozen=True, slots=True)
class _Place:
    """The file of one session."""

    folder: Folder
    seal: Seal

    def save(self, kept: Kept) -> bool:
        return self.folder.save(self.seal.name, self.seal.close(kept))

    def drop(self) -> None:
        self.folder.drop(self.seal.name)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
