"""The page's cookies, and the token that ties a form to its browser and to what the form asks for.

One cookie is no sign-in: it holds a random key that other sites cannot read. The token is an HMAC by that key
over the authorization request: a form counts only for the browser and the request that it was made for. The
other one holds the secret of a sign-in session (:mod:`.sign_in_sessions`).
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

from backend.auth.oauth.sign_in_sessions import LONGEST_LIFE

SESSION = re.compile(r"[A-Za-z0-9_\-]{43}")


@dataclass(frozen=True, slots=True)
class Cookie:
    """How the cookie is named and sent for an issuer."""

    name: str
    path: str
    secure: bool
    max_age: int | None = None
    """Seconds; null until the browser is closed."""

    @classmethod
    def of(cls, issuer: str) -> "Cookie":
        parts = urlsplit(issuer)
        if (
            parts.scheme == "https"
        ):  # the prefix keeps neighbouring hosts from setting it; it asks for this path
            return cls("__Host-chainproof-authorize", "/", secure=True)
        return cls("chainproof-authorize", f"{parts.path}/oauth/authorize", secure=False)

    @classmethod
    def of_session(cls, issuer: str) -> "Cookie":
        """That of a sign-in session. On http, where cookies do not tell ports apart, its name does."""
        parts, seconds = urlsplit(issuer), int(LONGEST_LIFE.total_seconds())
        if parts.scheme == "https":
            return cls("__Host-chainproof-login", "/", secure=True, max_age=seconds)
        path = f"{parts.path}/oauth/authorize"
        return cls(f"chainproof-login-{parts.port or 80}", path, secure=False, max_age=seconds)

    def read(self, request: Request) -> str | None:
        value = request.cookies.get(self.name, "")
        return value if SESSION.fullmatch(value) else None

    def put(self, response: Response, session: str) -> None:
        response.set_cookie(
            self.name,
            session,
            max_age=self.max_age,
            path=self.path,
            secure=self.secure,
            httponly=True,
            samesite="lax",
        )


def new_session() -> str:
    return secrets.token_urlsafe(32)


def csrf_token(session: str, parameters: Mapping[str, str]) -> str:
    """The token of a form in this session for exactly these parameters."""
    message = orjson.dumps(sorted(parameters.items()))
    return hmac.new(session.encode(), message, hashlib.sha256).hexdigest()


def is_own(session: str | None, parameters: Mapping[str, str], token: str | None) -> bool:
    """Whether the token was made in this session for these parameters."""
    if session is None or token is None:
        return False
    return hmac.compare_digest(csrf_token(session, parameters).encode(), token.encode())
