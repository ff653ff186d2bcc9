"""Who is asking: the words that credentials, the gate and endpoints share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol

from backend.errors import BadRequest, Unauthorized

Scope = Literal["read", "write", "ingest", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "write", "ingest", "admin")
"""Each stands for itself alone: ``admin`` does not include the others."""


def checked_scopes(scopes: Iterable[str]) -> tuple[Scope, ...]:
    """``scopes`` in their order and each once; raises :class:`BadRequest` for one that there is not."""
    asked = set(scopes)
    unknown = sorted(asked.difference(SCOPES))
    if unknown:
        raise BadRequest(f"There is no scope {unknown[0]!r}. The scopes are {', '.join(SCOPES)}.")
    return tuple(scope for scope in SCOPES if scope in asked)


class Place(Enum):
    """Where in a request a credential was found."""

    API_KEY_HEADER = "CP-X-API-KEY"
    BEARER = "Authorization: Bearer"
    TERMINAL_HEADER = "X-CP-TERMINAL-API-KEY"


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a valid credential.

    ``id`` names the holder and ``credential_id`` the credential; they are the same for a key, which
    has no holder but itself. An access token's holder is the account, and its credential the grant, which
    stays the same when the token is refreshed. ``kind`` is ``api`` or ``terminal`` for keys, else ``oauth``.
    ``local`` marks the key that programs on the service's own machine use.
    """

    id: str
    name: str
    kind: str
    scopes: frozenset[str]
    credential_id: str
    local: bool = False


class UnknownCredential(Unauthorized):
    """A credential of the right form that is not among those in memory: made a moment ago, perhaps, by
    another process. ``look_again`` asks the store, in a thread of its own, and tells whether it turned up."""

    def __init__(self, detail: str, look_again: Callable[[], bool]) -> None:
        super().__init__(detail)
        self.look_again = look_again


class CredentialSource(Protocol):
    """Something that knows credentials: the keyring, or several sources behind one."""

    def find(self, credential: bytes, place: Place) -> Principal:
        """The holder of ``credential``, which was found at ``place``; called for every request.

        Raises :class:`backend.errors.Unauthorized` with a sentence that never echoes the credential
        and does not tell an unknown one from a revoked one.
        """
        ...
