"""The service's OAuth 2.0 endpoints, as a public client asks them.

The dashboard asks the service at the address that it knows it by, and sends browsers to the address that the
service's metadata name (RFC 8414), which may be another one: that of a proxy before it.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx

from dashboard.sign_in.oauth_state import Attempt

SCOPES = ("read", "write")
"""What the pages need: to read, and to submit jobs and store violations."""
TIMEOUT_SECONDS = 5.0
KNOWN_SECONDS = 60.0
"""How long the metadata are kept."""
FAILED_SECONDS = 2.0
"""How long it is kept that there are none, so that people do not wait in a row for a service that hangs."""


class Refused(Exception):
    """The service says no; ``error`` is its word of RFC 6749 section 5.2."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class Unavailable(Exception):
    """There is no answer, or none that can be used: it may be another time."""


@dataclass(frozen=True, slots=True)
class Metadata:
    issuer: str
    authorization_endpoint: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """``expires_in``: seconds from when the request for them was sent."""

    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    expires_in: float
    scopes: tuple[str, ...]


class Authority:
    def __init__(
        self,
        base_url: str,
        *,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url, timeout=TIMEOUT_SECONDS, transport=transport, trust_env=False
        )
        self._clock = clock
        self._lock = threading.Lock()
        self._known: tuple[float, Metadata | Unavailable] | None = None

    def close(self) -> None:
        self._http.close()

    def metadata(self) -> Metadata:
        """Who issues, and where people are sent to. Raises :class:`Unavailable`."""
        with self._lock:
            if self._known is None or not self._still_holds(*self._known):
                told = self._ask_metadata()
                self._known = (self._clock(), told)
            told = self._known[1]
        if isinstance(told, Unavailable):
            raise Unavailable(*told.args)
        return told

    def address(
        self,
        attempt: Attempt,
        *,
        client_id: str,
        redirect_uri: str,
        language: str,
        ask_password: bool = False,
    ) -> str:
        """Where to send a browser (RFC 6749 section 4.1.1), which is to read ``language`` (BCP 47) there.

        With ``ask_password`` also one that stays signed in at the service. Raises :class:`Unavailable`.
        """
        query = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(SCOPES),
            "state": attempt.state,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
            "ui_locales": language,
        }
        if ask_password:
            query["prompt"] = "login"
        endpoint = self.metadata().authorization_endpoint
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def exchange(self, code: str, attempt: Attempt, *, client_id: str, redirect_uri: str) -> Tokens:
        """Raises :class:`Refused` or :class:`Unavailable`."""
        return self._tokens(
            {
                "grant_type": "authorization_code",
                "code": code,
                "client_id": client_id,
                "redirect_uri": redirect_uri,
                "code_verifier": attempt.verifier,
            },
            SCOPES,
        )

    def renew(self, tokens: Tokens, *, client_id: str) -> Tokens:
        """New tokens for the refresh token, which works once. Raises as :meth:`exchange` does."""
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh or ""}
        fresh = self._tokens({**form, **_named(client_id)}, tokens.scopes)
        if fresh.refresh is not None:
            return fresh
        return Tokens(fresh.access, tokens.refresh, fresh.expires_in, fresh.scopes)

    def revoke(self, tokens: Tokens, *, client_id: str, end_session: bool = False) -> None:
        """Both, the one that lives longer first (RFC 7009). ``end_session`` also signs the person out.

        Raises as :meth:`exchange` does.
        """
        own = {**_named(client_id), **({"end_session": "true"} if end_session else {})}
        both = (("refresh_token", tokens.refresh), ("access_token", tokens.access))
        for hint, token in both:
            if token is not None:
                form = {"token": token, "token_type_hint": hint}
                _judged(self._post("/oauth/revoke", {**form, **own}))

    def name_of(self, tokens: Tokens) -> str:
        """What the person is called; empty where the service does not tell. Raises :class:`Unavailable`."""
        own = {"Authorization": f"Bearer {tokens.access}"}
        response = self._post("/oauth/introspect", {"token": tokens.access}, own)
        if not response.is_success:
            return ""
        told = _object(response)
        name = told.get("username") or told.get("sub") or ""
        return name if isinstance(name, str) else ""

    def _tokens(self, form: Mapping[str, str], scopes: tuple[str, ...]) -> Tokens:
        """``scopes`` are those that hold where the answer names none (RFC 6749 section 5.1)."""
        told = _object(_judged(self._post("/oauth/token", form)))
        access, refresh, life = told.get("access_token"), told.get("refresh_token"), told.get("expires_in")
        kind, scope = told.get("token_type"), told.get("scope")
        usable = isinstance(access, str) and access and isinstance(kind, str) and kind.lower() == "bearer"
        if not usable or not isinstance(access, str) or not isinstance(refresh, str | None):
            raise Unavailable("The service's tokens cannot be used.")
        seconds = float(life) if isinstance(life, int | float) and life > 0 else 300.0
        return Tokens(access, refresh, seconds, tuple(scope.split()) if isinstance(scope, str) else scopes)

    def _still_holds(self, since: float, told: Metadata | Unavailable) -> bool:
        return self._clock() - since < (FAILED_SECONDS if isinstance(told, Unavailable) else KNOWN_SECONDS)

    def _ask_metadata(self) -> Metadata | Unavailable:
        try:
            return self._read_metadata()
        except Unavailable as fault:
            return fault

    def _read_metadata(self) -> Metadata:
        try:
            response = self._http.get("/.well-known/oauth-authorization-server")
        except httpx.HTTPError as fault:
            raise Unavailable("The service does not answer.") from fault
        told = _object(response) if response.is_success else {}
        issuer, endpoint = told.get("issuer"), told.get("authorization_endpoint")
        if not (isinstance(issuer, str) and isinstance(endpoint, str)):
            raise Unavailable("The service does not tell where people sign in.")
        if urlsplit(endpoint).scheme not in ("http", "https"):
            raise Unavailable("The service's sign-in has no web address.")
        return Metadata(issuer, endpoint)

    def _post(
        self, path: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        try:
            return self._http.post(path, data=dict(form), headers=headers)
        except httpx.HTTPError as fault:
            raise Unavailable("The service does not answer.") from fault


def _named(client_id: str) -> dict[str, str]:
    """Whose tokens they are, where that is still known: the tokens stand for themselves."""
    return {"client_id": client_id} if client_id else {}


def _judged(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    if response.status_code >= 500 or response.status_code in (408, 429):
        raise Unavailable("The service does not answer now.")
    try:
        error = _object(response).get("error")
    except Unavailable:
        error = None
    raise Refused(error if isinstance(error, str) else "refused")


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        told = response.json()
    except ValueError as fault:
        raise Unavailable("The service's answer cannot be read.") from fault
    if not isinstance(told, dict):
        raise Unavailable("The service's answer cannot be read.")
    return told
