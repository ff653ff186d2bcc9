"""Stores the state of a started sign-in in a cookie until the service's response.

The cookie lasts ten minutes. The response thus counts only in the same browser, and abandoned sign-ins use no
memory of the dashboard. Each sign-in has its own cookie, because several tabs may sign in at once.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from dashboard.sign_in import return_url

LIFETIME_SECONDS = 600
MAX_ATTEMPTS = 8
"""Maximum number of started sign-ins per browser; older cookies are deleted."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """``state`` returns with the response; ``verifier`` (RFC 7636) proves that the request came from here."""

    state: str
    verifier: str = field(repr=False)
    return_path: str

    @property
    def challenge(self) -> str:
        """BASE64URL(SHA256(verifier)): method S256 of RFC 7636 section 4.2."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def to_cookie(self) -> str:
        text = json.dumps([self.state, self.verifier, self.return_path], ensure_ascii=True)
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def create_attempt(return_path: str) -> SignInAttempt:
    return SignInAttempt(
        secrets.token_urlsafe(24), secrets.token_urlsafe(48), return_url.validate_path(return_path)
    )


def cookie_name(prefix: str, state: str) -> str:
    """Build the name of an attempt's cookie from a hash of its state."""
    return prefix + hashlib.sha256(state.encode()).hexdigest()[:12]


def find_attempt(cookies: Mapping[str, str], prefix: str, state: str) -> SignInAttempt | None:
    """Find the attempt with ``state``; None if this browser did not start it."""
    attempt = _parse_cookie(cookies.get(cookie_name(prefix, state), ""))
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), state.encode()):
        return None
    return attempt


def _parse_cookie(to_cookie: str) -> SignInAttempt | None:
    try:
        state, verifier, return_path = json.loads(
            base64.urlsafe_b64decode(to_cookie + "=" * (-len(to_cookie) % 4))
        )
    except (ValueError, TypeError, RecursionError):
        return None
    if not (isinstance(state, str) and isinstance(verifier, str) and isinstance(return_path, str)):
        return None
    return SignInAttempt(state, verifier, return_url.validate_path(return_path))
