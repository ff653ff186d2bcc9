"""The page's cookie, and the token that ties a form to it and to what the form asks for.

The cookie is no sign-in: it holds a random key that other sites cannot read. The token is an HMAC by that key
over the authorization request: a form counts only for the browser and the request that it was made for.
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

SESSION = re.compile(r"[A-Za-z0-9_\-]{43}")


@dataclass(frozen=True, slots=True)
class Cookie:
    """How the cookie is named and sent for an issuer."""

    name: str
    path: str
    secure: bool

    @classmethod
    def of(cls, issuer: str) -> "Cookie":
        parts = urlsplit(issuer)
        if (
            parts.scheme == "https"
        ):  # the prefix keeps neighbouring hosts from setting it; it asks for this path
            return cls("__Host-chainproof-authorize", "/", secure=True)
        return cls("chainproof-authorize", f"{parts.path}/oauth/authorize", secure=False)

    def read(self, request: Request) -> str | None:
        value = request.cookies.get(self.name, "")
        return value if SESSION.fullmatch(value) else None

    def put(self, response: Response, session: str) -> None:
        response.set_cookie(
            self.name, session, path=self.path, secure=self.secure, httponly=True, samesite="lax"
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
