"""A person who is signed in: their tokens, which are refreshed in time and only once, until they end."""

import secrets
import threading
import time
from collections.abc import Callable

from dashboard.client.callers import Credential
from dashboard.sign_in.oauth_client import Refused, Tokens, Unavailable

RENEW_SECONDS = 300.0
"""So long before they expire tokens are refreshed, or after half their life where that is later."""
AGAIN_SECONDS = 10.0
"""Between two tries to refresh."""
SURE_SECONDS = 3.0
"""How long an answer of the service counts as a word on whether the token is still valid. With the second
in which every replica of the service learns of a revocation, nobody sees anything five seconds after."""

Renew = Callable[[Tokens], Tokens]
Clock = Callable[[], float]


class Session:
    """One browser's sign-in, shared by all its tabs and threads; a :class:`~dashboard.client.callers.Caller`.

    ``renew`` gives new tokens for old ones; it is never called twice with the same refresh token while its
    answer may still come, since using one twice ends its family. ``discard`` is given tokens that are held no
    longer, to be revoked. ``clock`` counts seconds, monotonically; ``wall`` since 1970.
    """

    def __init__(
        self,
        name: str,
        tokens: Tokens,
        renew: Renew,
        discard: Callable[[Tokens], None],
        *,
        clock: Clock = time.monotonic,
        wall: Clock = time.time,
    ) -> None:
        self.id = f"person-{secrets.token_hex(8)}"
        self.name = name
        self.csrf = secrets.token_urlsafe(24)
        self.begun_at = self.used_at = clock()
        self._renew = renew
        self._discard = discard
        self._clock = clock
        self._wall = wall
        self._renewing = threading.Lock()
        self._tokens: Tokens | None = tokens
        self._scopes = tokens.scopes
        self._set_times(tokens, self.begun_at)
        self._not_before = 0.0
        self._sure_at = self.begun_at
        self._ending = threading.Lock()
        self._on_end: list[Callable[[], None]] = []

    @property
    def scopes(self) -> tuple[str, ...]:
        return self._scopes

    @property
    def ended(self) -> bool:
        return self._tokens is None

    @property
    def is_verified(self) -> bool:
        return self._tokens is not None and self._clock() - self._sure_at < SURE_SECONDS

    @property
    def doubtful(self) -> bool:
        """Whether it is time to ask, so that it stays certain."""
        return self._tokens is not None and self._clock() - self._sure_at > SURE_SECONDS / 2

    @property
    def watched(self) -> bool:
        """Whether a page of this session is open."""
        return bool(self._on_end)

    def credential(self) -> Credential:
        return _header(self._fresh())

    def handle_rejection(self, sent: Credential) -> bool:
        """A token that is refused before its time was revoked, and that ends the session; one whose time is
        over, by either clock, is refreshed. While a machine sleeps the monotonic one stands still."""
        with self._renewing:
            tokens = self._tokens
            if tokens is None or not sent:
                return False
            if _header(tokens) != sent:  # another thread has refreshed it meanwhile
                return True
            over = self._clock() >= self._expires_at or self._wall() >= self._expires_on_wall
            if over and self._try_to_renew(tokens):
                return True
            revoked = not over
        left = self.end() if revoked else None
        if left is not None:
            self._discard(left)
        return False

    def record_acceptance(self, requested_at: float) -> None:
        self._sure_at = max(self._sure_at, requested_at)

    def end(self) -> Tokens | None:
        """Forget the tokens and close every open page. What was held, for the first who ends it."""
        with self._renewing:  # a refresh that is under way ends first: what it brings is to be revoked
            tokens = self._tokens
            self._forget()
        return tokens

    def when_ended(self, call: Callable[[], None]) -> Callable[[], None]:
        """``call`` once the session ends, at once if it has. What is returned takes that back."""
        with self._ending:
            self._on_end.append(call)
        if self.ended:
            self._tell()
        return lambda: self._take_back(call)

    def _fresh(self) -> Tokens | None:
        tokens, now = self._tokens, self._clock()
        if tokens is None or now < self._renew_at or now < self._not_before:
            return tokens
        # While the old ones are good for a while nobody waits for the new ones but the one who asks for them.
        if not self._renewing.acquire(blocking=now >= self._expires_at):
            return tokens
        try:
            tokens, now = self._tokens, self._clock()
            if tokens is None or now < self._renew_at or now < self._not_before:
                return tokens
            self._try_to_renew(tokens)
        finally:
            self._renewing.release()
        return self._tokens

    def _try_to_renew(self, tokens: Tokens) -> bool:
        """Whether there are new ones; where the service says no, there are none any more. Under the lock."""
        asked_at = self._clock()
        if asked_at < self._not_before:
            return False
        try:
            fresh = self._renew(tokens)
        except Unavailable:
            self._not_before = asked_at + AGAIN_SECONDS
            return False
        except Refused:
            self._forget()
            return False
        self._set_times(fresh, asked_at)
        self._scopes = fresh.scopes
        self._tokens = fresh
        return True

    def _forget(self) -> None:
        """Under the lock."""
        self._tokens = None
        self._tell()

    def _set_times(self, tokens: Tokens, since: float) -> None:
        self._expires_at = since + tokens.expires_in
        self._expires_on_wall = self._wall() - self._clock() + self._expires_at
        self._renew_at = since + max(tokens.expires_in - RENEW_SECONDS, tokens.expires_in / 2)

    def _tell(self) -> None:
        with self._ending:
            calls, self._on_end = self._on_end, []
        for call in calls:
            call()

    def _take_back(self, call: Callable[[], None]) -> None:
        with self._ending:
            if call in self._on_end:
                self._on_end.remove(call)


def _header(tokens: Tokens | None) -> Credential:
    return {} if tokens is None else {"Authorization": f"Bearer {tokens.access}"}
