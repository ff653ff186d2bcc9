"""Identifies the caller of a request: the holder of the local key, a signed-in person, or nobody."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

T = TypeVar("T")
Credential = Mapping[str, str]
"""The header with a credential; empty without one."""
ReadKey = Callable[[], str | None]


class Caller(Protocol):
    """Supplies the credential of requests. Every method may be called from any thread."""

    @property
    def id(self) -> str:
        """Separates the cached responses of callers; never a credential."""
        ...

    @property
    def ended(self) -> bool:
        """True if the caller sends no more requests; the client then drops their cached responses."""
        ...

    @property
    def is_verified(self) -> bool:
        """True if the credential was valid a moment ago, so that a cached response needs no request."""
        ...

    def credential(self) -> Credential: ...

    def handle_rejection(self, sent: Credential) -> bool:
        """Called after a 401 for ``sent``. True if the caller has another credential to try at once."""
        ...

    def record_acceptance(self, requested_at: float) -> None:
        """Called after any other status for a request sent at ``requested_at`` (monotonic seconds)."""
        ...


class ApiKeyCaller:
    """The dashboard itself, with an API key.

    ``read_key`` runs at the first request and again after a 401, because the service may have created
    its local key only just now.
    """

    id = "key"
    ended = False
    is_verified = True

    def __init__(self, read_key: ReadKey) -> None:
        self._read_key = read_key
        self._key: str | None = None

    def credential(self) -> Credential:
        if self._key is None:
            self._key = self._read_key()
        return {} if self._key is None else {"CP-X-API-KEY": self._key}

    def handle_rejection(self, sent: Credential) -> bool:
        key = self._read_key()
        if key is None or key == self._key:
            return False
        self._key = key
        return True

    def record_acceptance(self, requested_at: float) -> None:
        """Does nothing: the service checks a key at every request."""


class AnonymousCaller:
    """A visitor who has not signed in, where sign-in is required: the service responds with 401."""

    id = "nobody"
    ended = False
    is_verified = True

    def credential(self) -> Credential:
        return {}

    def handle_rejection(self, sent: Credential) -> bool:
        return False

    def record_acceptance(self, requested_at: float) -> None:
        """Does nothing: some paths need no credential."""


ANONYMOUS = AnonymousCaller()
_current: ContextVar[Caller | None] = ContextVar("current_caller", default=None)


@contextmanager
def acting_as(caller: Caller) -> Iterator[None]:
    """Sends the requests of this block, in this thread, as ``caller``."""
    token = _current.set(caller)
    try:
        yield
    finally:
        _current.reset(token)


def current_caller() -> Caller | None:
    """Returns the caller set by :func:`acting_as`, for a thread without a session of its own."""
    return _current.get()


def run_as(caller: Caller, call: Callable[[], T]) -> T:
    with acting_as(caller):
        return call()
