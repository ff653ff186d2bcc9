"""Looks up a credential in the key cache or the token cache, depending on its prefix."""

from backend.auth.key_cache import KeyCache
from backend.auth.oauth.token_cache import TokenCache
from backend.auth.principal import CredentialHeader, Principal

TOKEN_PREFIXES = (b"cpa_", b"cpr_", b"cpc_")
"""Includes refresh tokens and codes, so that the refusal can say which endpoint takes them."""


class Credentials:
    """A :class:`~backend.auth.principal.CredentialSource`."""

    def __init__(self, keys: KeyCache, tokens: TokenCache) -> None:
        self._keys = keys
        self._tokens = tokens

    def find(self, credential: bytes, header: CredentialHeader) -> Principal:
        source = self._tokens if credential.startswith(TOKEN_PREFIXES) else self._keys
        return source.find(credential, header)

    def reload(self) -> None:
        """Reload both caches from the store."""
        self._keys.reload()
        self._tokens.reload()

    def reload_tokens(self) -> None:
        """Reload the revoked tokens, so that this process refuses them from now on."""
        self._tokens.reload()

    def flush_last_used(self) -> None:
        """Write the last uses of keys and grants; a failed write is repeated by the next flush."""
        self._keys.flush_last_used()
        self._tokens.flush_last_used()
