"""In whose name the service is asked: that of the local key, of a person who signed in, or nobody's."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

T = TypeVar("T")
Credential = Mapping[str, str]
"""The header that holds a credential, or nothing."""
KeySource = Callable[[], str | None]


class Caller(Protocol):
    """Whoever asks. Every method may be called from any thread."""

    @property
    def id(self) -> str:
        """Says whose answers are whose; never a credential."""
        ...

    @property
    def ended(self) -> bool:
        """Whether they ask no more: what was answered to them is dropped."""
        ...

    @property
    def certain(self) -> bool:
        """Whether an answer that is kept may be given without asking: the credential was valid just now."""
        ...

    def credential(self) -> Credential: ...

    def refused(self, sent: Credential) -> bool:
        """The service did not know ``sent`` (401). Whether there is another to try at once."""
        ...

    def accepted(self, asked_at: float) -> None:
        """The service knew the credential of a request that was sent at ``asked_at`` (monotonic seconds)."""
        ...


class KeyHolder:
    """The dashboard itself, with an API key.

    ``read`` is asked for the key at the first request and again after a 401, since the service may have
    made its local key only just now.
    """

    id = "key"
    ended = False
    certain = True

    def __init__(self, read: KeySource) -> None:
        self._read = read
        self._key: str | None = None

    def credential(self) -> Credential:
        if self._key is None:
            self._key = self._read()
        return {} if self._key is None else {"CP-X-API-KEY": self._key}

    def refused(self, sent: Credential) -> bool:
        fresh = self._read()
        if fresh is None or fresh == self._key:
            return False
        self._key = fresh
        return True

    def accepted(self, asked_at: float) -> None:
        """A key is looked at by the service each time; there is nothing to note."""


class Nobody:
    """Where people sign in and none has: the service answers by itself that it takes a credential."""

    id = "nobody"
    ended = False
    certain = True

    def credential(self) -> Credential:
        return {}

    def refused(self, sent: Credential) -> bool:
        return False

    def accepted(self, asked_at: float) -> None:
        """Some paths are open to all."""


NOBODY = Nobody()
_acting: ContextVar[Caller | None] = ContextVar("acting", default=None)


@contextmanager
def acting_as(caller: Caller) -> Iterator[None]:
    """What is asked in this block, in this thread, is asked in the name of ``caller``."""
    token = _acting.set(caller)
    try:
        yield
    finally:
        _acting.reset(token)


def acting() -> Caller | None:
    """Whoever a thread without a session of its own works for, if somebody said so."""
    return _acting.get()


def run_as(caller: Caller, call: Callable[[], T]) -> T:
    with acting_as(caller):
        return call()
