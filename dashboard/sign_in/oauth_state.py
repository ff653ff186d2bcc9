"""A sign-in that was begun: what the browser keeps while its reader is at the service.

It is kept in a cookie of that browser, for ten minutes: so the answer counts only in the browser that asked,
and a flood of sign-ins that nobody ends fills no memory. Each has a cookie of its own, since several tabs may
be led to the sign-in at once.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from dashboard.sign_in import return_url

LIFE_SECONDS = 600
MOST = 8
"""Sign-ins that one browser may have begun; the rest of its cookies are taken back."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """``state`` comes back with the answer; ``verifier`` (RFC 7636) proves that it was asked for here."""

    state: str
    verifier: str = field(repr=False)
    to: str

    @property
    def challenge(self) -> str:
        """BASE64URL(SHA256(verifier)), as RFC 7636 section 4.2 has S256."""
        hashed = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode()

    def cookie(self) -> str:
        text = json.dumps([self.state, self.verifier, self.to], ensure_ascii=True)
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def begin(to: str) -> Attempt:
    return Attempt(secrets.token_urlsafe(24), secrets.token_urlsafe(48), return_url.kept(to))


def cookie_name(prefix: str, state: str) -> str:
    """Named by the beginning of its state, so that each answer finds its own."""
    return prefix + hashlib.sha256(state.encode()).hexdigest()[:12]


def find(cookies: Mapping[str, str], prefix: str, state: str) -> Attempt | None:
    """The attempt that ``state`` answers; null when this browser began no such one."""
    attempt = _read(cookies.get(cookie_name(prefix, state), ""))
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), state.encode()):
        return None
    return attempt


def _read(cookie: str) -> Attempt | None:
    try:
        state, verifier, to = json.loads(base64.urlsafe_b64decode(cookie + "=" * (-len(cookie) % 4)))
    except (ValueError, TypeError, RecursionError):
        return None
    if not (isinstance(state, str) and isinstance(verifier, str) and isinstance(to, str)):
        return None
    return Attempt(state, verifier, return_url.kept(to))
