"""Reads and sets the cookies of the sign-in page, and creates and verifies its CSRF tokens.

The CSRF cookie holds a random secret that other sites cannot read; it does not sign anyone in. The CSRF token
is an HMAC of the authorization request with that secret as the key. A form is therefore valid only for the
browser and the request that it was made for. The session cookie holds the secret of a sign-in session
(:mod:`.sign_in_sessions`).
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response

from backend.auth.oauth.sign_in_sessions import MAX_SESSION_LIFETIME

COOKIE_VALUE = re.compile(r"[A-Za-z0-9_\-]{43}")


@dataclass(frozen=True, slots=True)
class Cookie:
    """Name and attributes of a cookie for an issuer."""

    name: str
    path: str
    secure: bool
    max_age: int | None = None
    """Seconds; None: until the browser is closed."""

    @classmethod
    def for_csrf(cls, issuer: str) -> "Cookie":
        parts = urlsplit(issuer)
        if parts.scheme == "https":
            # The prefix prevents sibling hosts from setting the cookie. It requires the path "/".
            return cls("__Host-chainproof-authorize", "/", secure=True)
        return cls("chainproof-authorize", f"{parts.path}/oauth/authorize", secure=False)

    @classmethod
    def for_session(cls, issuer: str) -> "Cookie":
        """Define the session cookie. On http its name has the port, since cookies ignore ports."""
        parts, seconds = urlsplit(issuer), int(MAX_SESSION_LIFETIME.total_seconds())
        if parts.scheme == "https":
            return cls("__Host-chainproof-login", "/", secure=True, max_age=seconds)
        path = f"{parts.path}/oauth/authorize"
        return cls(f"chainproof-login-{parts.port or 80}", path, secure=False, max_age=seconds)

    def read(self, request: Request) -> str | None:
        value = request.cookies.get(self.name, "")
        return value if COOKIE_VALUE.fullmatch(value) else None

    def set_on(self, response: Response, value: str) -> None:
        response.set_cookie(
            self.name,
            value,
            max_age=self.max_age,
            path=self.path,
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )


def generate_secret() -> str:
    return secrets.token_urlsafe(32)


def compute_csrf_token(csrf_secret: str, parameters: Mapping[str, str]) -> str:
    """Compute the token of a form for the secret in the cookie and exactly these parameters."""
    message = orjson.dumps(sorted(parameters.items()))
    return hmac.new(csrf_secret.encode(), message, hashlib.sha256).hexdigest()


def is_valid_csrf_token(csrf_secret: str | None, parameters: Mapping[str, str], token: str | None) -> bool:
    """Return whether the token belongs to the secret in the cookie and these parameters."""
    if csrf_secret is None or token is None:
        return False
    return hmac.compare_digest(compute_csrf_token(csrf_secret, parameters).encode(), token.encode())
