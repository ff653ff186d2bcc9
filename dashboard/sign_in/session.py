"""Holds a signed-in person's tokens, and refreshes them ahead of expiry, one thread at a time."""

import secrets
import threading
import time
from collections.abc import Callable

from dashboard.client.callers import Credential
from dashboard.sign_in.oauth_client import OAuthError, ServiceUnavailableError, Tokens

REFRESH_AHEAD_SECONDS = 300.0
"""Tokens are refreshed this long before they expire, or after half their lifetime if that is later."""
RETRY_SECONDS = 10.0
"""Interval between attempts to refresh."""
VERIFIED_SECONDS = 3.0
"""How long a response of the service proves that the token is valid. Replicas of the service learn of a
revocation within a second, so that nobody sees anything five seconds after it."""

RefreshTokens = Callable[[Tokens], Tokens]
Clock = Callable[[], float]


class Session:
    """One browser's sign-in, shared by all its tabs and threads; a :class:`~dashboard.client.callers.Caller`.

    ``refresh_tokens`` exchanges tokens for new ones. It is never called twice with the same refresh token
    while a response may still arrive: using one twice revokes all tokens of its family. ``queue_revocation``
    gets tokens that are no longer held. ``clock`` returns monotonic seconds, ``wall_clock`` those since 1970.
    """

    def __init__(
        self,
        name: str,
        tokens: Tokens,
        refresh_tokens: RefreshTokens,
        queue_revocation: Callable[[Tokens], None],
        *,
        clock: Clock = time.monotonic,
        wall_clock: Clock = time.time,
    ) -> None:
        self.id = f"person-{secrets.token_hex(8)}"
        self.name = name
        self.csrf = secrets.token_urlsafe(24)
        self.started_at = self.used_at = clock()
        self._refresh_tokens = refresh_tokens
        self._queue_revocation = queue_revocation
        self._clock = clock
        self._wall_clock = wall_clock
        self._refresh_lock = threading.Lock()
        self._tokens: Tokens | None = tokens
        self._scopes = tokens.scopes
        self._set_times(tokens, self.started_at)
        self._retry_at = 0.0
        self._verified_at = self.started_at
        self._listeners_lock = threading.Lock()
        self._end_listeners: list[Callable[[], None]] = []

    @property
    def scopes(self) -> tuple[str, ...]:
        return self._scopes

    @property
    def ended(self) -> bool:
        return self._tokens is None

    @property
    def is_verified(self) -> bool:
        return self._tokens is not None and self._clock() - self._verified_at < VERIFIED_SECONDS

    @property
    def needs_check(self) -> bool:
        """Whether the token must be checked soon to stay verified."""
        return self._tokens is not None and self._clock() - self._verified_at > VERIFIED_SECONDS / 2

    @property
    def has_open_page(self) -> bool:
        """Whether a page of this session is open."""
        return bool(self._end_listeners)

    def credential(self) -> Credential:
        return _build_header(self._get_valid_tokens())

    def handle_rejection(self, sent: Credential) -> bool:
        """End the session if the token was rejected before it expired, since it is then revoked.

        A token that is expired by either clock is refreshed: the monotonic one stops while a machine sleeps.
        """
        with self._refresh_lock:
            tokens = self._tokens
            if tokens is None or not sent:
                return False
            if _build_header(tokens) != sent:  # another thread has refreshed it
                return True
            is_expired = self._clock() >= self._expires_at or self._wall_clock() >= self._expires_at_wall_time
            if is_expired and self._refresh(tokens):
                return True
            revoked = not is_expired
        ended_tokens = self.end() if revoked else None
        if ended_tokens is not None:
            self._queue_revocation(ended_tokens)
        return False

    def record_acceptance(self, requested_at: float) -> None:
        self._verified_at = max(self._verified_at, requested_at)

    def end(self) -> Tokens | None:
        """Clear the tokens and close all open pages. Only the first call returns the tokens."""
        with self._refresh_lock:  # waits for a running refresh, whose tokens must be revoked, too
            tokens = self._tokens
            self._clear_tokens()
        return tokens

    def add_end_listener(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` when the session ends, at once if it has. Returns a function that removes it."""
        with self._listeners_lock:
            self._end_listeners.append(listener)
        if self.ended:
            self._notify_listeners()
        return lambda: self._remove_listener(listener)

    def _get_valid_tokens(self) -> Tokens | None:
        tokens, now = self._tokens, self._clock()
        if tokens is None or now < self._refresh_at or now < self._retry_at:
            return tokens
        # While the old tokens are valid, only the thread that refreshes them waits.
        if not self._refresh_lock.acquire(blocking=now >= self._expires_at):
            return tokens
        try:
            tokens, now = self._tokens, self._clock()
            if tokens is None or now < self._refresh_at or now < self._retry_at:
                return tokens
            self._refresh(tokens)
        finally:
            self._refresh_lock.release()
        return self._tokens

    def _refresh(self, tokens: Tokens) -> bool:
        """Refresh the tokens; clears them if the service rejects that. Requires the lock."""
        requested_at = self._clock()
        if requested_at < self._retry_at:
            return False
        try:
            new_tokens = self._refresh_tokens(tokens)
        except ServiceUnavailableError:
            self._retry_at = requested_at + RETRY_SECONDS
            return False
        except OAuthError:
            self._clear_tokens()
            return False
        self._set_times(new_tokens, requested_at)
        self._scopes = new_tokens.scopes
        self._tokens = new_tokens
        return True

    def _clear_tokens(self) -> None:
        """Clear the tokens. Requires the lock."""
        self._tokens = None
        self._notify_listeners()

    def _set_times(self, tokens: Tokens, since: float) -> None:
        self._expires_at = since + tokens.expires_in
        self._expires_at_wall_time = self._wall_clock() - self._clock() + self._expires_at
        self._refresh_at = since + max(tokens.expires_in - REFRESH_AHEAD_SECONDS, tokens.expires_in / 2)

    def _notify_listeners(self) -> None:
        with self._listeners_lock:
            listeners, self._end_listeners = self._end_listeners, []
        for listener in listeners:
            listener()

    def _remove_listener(self, listener: Callable[[], None]) -> None:
        with self._listeners_lock:
            if listener in self._end_listeners:
                self._end_listeners.remove(listener)


def _build_header(tokens: Tokens | None) -> Credential:
    return {} if tokens is None else {"Authorization": f"Bearer {tokens.access}"}
