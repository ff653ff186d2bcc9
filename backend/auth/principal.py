"""Defines scopes, the caller of a request and the protocol of credential sources."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol

from backend.errors import BadRequest, Unauthorized

Scope = Literal["read", "write", "ingest", "admin", "feed"]
SCOPES: tuple[Scope, ...] = ("read", "write", "ingest", "admin")
"""The scopes that keys and accounts can be given. No scope includes another: ``admin`` does not grant
``read``."""
FEED_SCOPE: Scope = "feed"
"""The only scope of a feed token, which opens web feeds alone and may be part of their address."""


def validate_scopes(scopes: Iterable[str]) -> tuple[Scope, ...]:
    """Return ``scopes`` without duplicates, in the order of :data:`SCOPES`.

    Raises :class:`BadRequest` for an unknown scope.
    """
    requested = set(scopes)
    unknown = sorted(requested.difference(SCOPES))
    if unknown:
        raise BadRequest(f"There is no scope {unknown[0]!r}. The scopes are {', '.join(SCOPES)}.")
    return tuple(scope for scope in SCOPES if scope in requested)


class CredentialHeader(Enum):
    """The request header that carried a credential, or for a feed token the parameter of the address."""

    API_KEY = "CP-X-API-KEY"
    BEARER = "Authorization: Bearer"
    TERMINAL_KEY = "X-CP-TERMINAL-API-KEY"
    FEED_TOKEN = "the parameter token"  # noqa: S105 - the place of a token


@dataclass(frozen=True, slots=True)
class Principal:
    """The holder of a valid credential.

    ``id`` identifies the holder and ``credential_id`` the credential. They are equal for a key, which is
    its own holder. The holder of an access token is the account, and its credential the grant, which stays
    the same when the token is refreshed. ``kind`` is ``api`` or ``terminal`` for keys, else ``oauth``.
    ``local`` marks the local key, which programs on the service's own machine use. ``app_id`` is the
    application of an access token.
    """

    id: str
    name: str
    kind: str
    scopes: frozenset[str]
    credential_id: str
    local: bool = False
    app_id: str | None = None

    @property
    def owner(self) -> str:
        """The owner of what the holder stores: the key, or the account and the application together.

        Up to 64 characters. It stays the same when the account signs in to the application again.
        """
        return self.id if self.app_id is None else f"{self.id}{self.app_id}".replace("-", "")


class UnknownCredential(Unauthorized):
    """A well-formed credential that is not cached; another process may have created it a moment ago.

    ``load_from_store`` queries the store and returns whether the credential is valid and now cached. It
    blocks, so call it in a worker thread.
    """

    def __init__(self, detail: str, load_from_store: Callable[[], bool]) -> None:
        super().__init__(detail)
        self.load_from_store = load_from_store


class CredentialSource(Protocol):
    """Looks up credentials: a cache of keys or of tokens, or both combined."""

    def find(self, credential: bytes, header: CredentialHeader) -> Principal:
        """Return the holder of ``credential``, which came in ``header``; called for every request.

        Raises :class:`backend.errors.Unauthorized` with a text that never repeats the credential and is
        the same for unknown and revoked ones.
        """
        ...
