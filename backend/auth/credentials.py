"""All credentials behind one source: keys and access tokens, told apart by how they begin."""

from backend.auth.key_cache import Keyring
from backend.auth.oauth.token_cache import TokenRing
from backend.auth.principal import Place, Principal

TOKENS = (b"cpa_", b"cpr_", b"cpc_")
"""Refresh tokens and codes too, to say where they go."""


class Credentials:
    """A :class:`~backend.auth.principal.CredentialSource`."""

    def __init__(self, keys: Keyring, tokens: TokenRing) -> None:
        self._keys = keys
        self._tokens = tokens

    def find(self, credential: bytes, place: Place) -> Principal:
        source = self._tokens if credential.startswith(TOKENS) else self._keys
        return source.find(credential, place)

    def reload(self) -> None:
        """Read anew what was made and what was revoked."""
        self._keys.reload()
        self._tokens.reload()

    def flush_last_used(self) -> None:
        """Write the last uses of both; a failure of one leaves the other's for the next time."""
        self._keys.flush_last_used()
        self._tokens.flush_last_used()
