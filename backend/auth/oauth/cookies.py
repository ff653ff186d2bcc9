"""Reads and sets the cookies of the sign-in page, and creates and verifies its CSRF tokens.

The form cookie is no sign-in: it holds a random key that other sites cannot read. The CSRF token is an HMAC
with that key over the authorization request. A form is thus valid only for the browser and the request that
it was made for. The session cookie holds the secret of a sign-in session (:mod:`.sign_in_sessions`).
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
    """Seconds; null until the browser is closed."""

    @classmethod
    def for_form(cls, issuer: str) -> "Cookie":
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

    def set_on(self, response: Response, session: str) -> None:
        response.set_cookie(
            self.name,
            session,
            max_age=self.max_age,
            path=self.path,
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )


def generate_secret() -> str:
    return secrets.token_urlsafe(32)


def csrf_token(session: str, parameters: Mapping[str, str]) -> str:
    """Compute the token of a form for this cookie value and exactly these parameters."""
    message = orjson.dumps(sorted(parameters.items()))
    return hmac.new(session.encode(), message, hashlib.sha256).hexdigest()


def is_valid_csrf_token(session: str | None, parameters: Mapping[str, str], token: str | None) -> bool:
    """Whether the token belongs to this cookie value and these parameters."""
    if session is None or token is None:
        return False
    return hmac.compare_digest(csrf_token(session, parameters).encode(), token.encode())
