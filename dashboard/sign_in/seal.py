"""One session as it is kept on disk: sealed, so that nothing but its browser's cookie opens it.

The key and the file's name are derived from the cookie's secret, 256 random bits that are stored nowhere,
each for its own purpose (HKDF, RFC 5869), and for one service: no token is ever sent to another one than it
came from. The content is encrypted and authenticated together with its version and its name (AES-256-GCM,
NIST SP 800-38D) under a random nonce of 96 bits; a key seals about a file every ten minutes for 30 days.
"""

import os
from dataclasses import dataclass, field

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from dashboard.sign_in.authority import Tokens

VERSION = b"chainproof session 1\n"
"""How a file begins. One that begins otherwise is another version's, and tells this one nothing."""
NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class Kept:
    """What a process needs to go on with a session. Times are seconds since 1970, by the wall clock, since
    no other one outlives a process."""

    name: str
    csrf: str = field(repr=False)
    tokens: Tokens
    begun_at: float
    used_at: float
    expires_at: float
    """When the access token does."""


class Seal:
    """What the browser's ``secret`` opens of the sessions at ``service``, the address that is asked."""

    def __init__(self, secret: str, service: str) -> None:
        self.name = _derived(secret, f"file name\n{service}", 16).hex()
        self._key = AESGCM(_derived(secret, f"key\n{service}", 32))

    def close(self, kept: Kept) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return VERSION + nonce + self._key.encrypt(nonce, msgspec.json.encode(kept), self._bound_to())

    def open(self, content: bytes) -> Kept | None:
        """Null for what this seal did not close, or not like this: torn, forged, of another version."""
        nonce = content[len(VERSION) : len(VERSION) + NONCE_BYTES]
        if not content.startswith(VERSION) or len(nonce) < NONCE_BYTES:
            return None
        try:
            opened = self._key.decrypt(nonce, content[len(VERSION) + NONCE_BYTES :], self._bound_to())
            return msgspec.json.decode(opened, type=Kept)
        except (InvalidTag, msgspec.MsgspecError):
            return None

    def _bound_to(self) -> bytes:
        return VERSION + self.name.encode()


def _derived(secret: str, purpose: str, length: int) -> bytes:
    info = f"chainproof dashboard session, {purpose}".encode()
    return HKDF(SHA256(), length, salt=None, info=info).derive(secret.encode())
