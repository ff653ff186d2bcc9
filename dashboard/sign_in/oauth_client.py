"""Calls the service's OAuth 2.0 endpoints as a public client.

The dashboard calls the service at its configured URL. Browsers are sent to the URL in the service's metadata
(RFC 8414), which may differ, for example behind a proxy.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx

from dashboard.sign_in.oauth_state import SignInAttempt

SCOPES = ("read", "write")
"""Scopes for the pages: read data, and submit jobs and store violations."""
TIMEOUT_SECONDS = 5.0
METADATA_CACHE_SECONDS = 60.0
"""Cache lifetime of the metadata."""
METADATA_ERROR_CACHE_SECONDS = 2.0
"""Cache lifetime of a failed request for metadata, so that people do not queue for a hanging service."""


class OAuthError(Exception):
    """The service rejected a request; ``error`` is the code of RFC 6749 section 5.2."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


class ServiceUnavailableError(Exception):
    """The service sent no usable response; a later request may succeed."""


@dataclass(frozen=True, slots=True)
class Metadata:
    issuer: str
    authorization_endpoint: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens; ``expires_in`` is in seconds from the start of the request for them."""

    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    expires_in: float
    scopes: tuple[str, ...]


class OAuthClient:
    """Sends the dashboard's OAuth requests to the service; thread-safe."""

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
        self._metadata_cache: tuple[float, Metadata | ServiceUnavailableError] | None = None

    def close(self) -> None:
        self._http.close()

    def fetch_metadata(self) -> Metadata:
        """Fetch or return cached metadata. Raises :class:`ServiceUnavailableError`."""
        with self._lock:
            if self._metadata_cache is None or not self._is_fresh(*self._metadata_cache):
                data = self._load_metadata()
                self._metadata_cache = (self._clock(), data)
            data = self._metadata_cache[1]
        if isinstance(data, ServiceUnavailableError):
            raise ServiceUnavailableError(*data.args)
        return data

    def build_authorization_url(
        self,
        attempt: SignInAttempt,
        *,
        client_id: str,
        redirect_uri: str,
        language: str,
        ask_password: bool = False,
    ) -> str:
        """Build the URL of the authorization request (RFC 6749 section 4.1.1) in ``language`` (BCP 47).

        With ``ask_password``, the service asks for the password even if the browser is signed in there.
        Raises :class:`ServiceUnavailableError`.
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
        endpoint = self.fetch_metadata().authorization_endpoint
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def exchange_code(
        self, code: str, attempt: SignInAttempt, *, client_id: str, redirect_uri: str
    ) -> Tokens:
        """Exchange a code for tokens. Raises :class:`OAuthError` or :class:`ServiceUnavailableError`."""
        return self._request_tokens(
            {
                "grant_type": "authorization_code",
                "code": code,
                "client_id": client_id,
                "redirect_uri": redirect_uri,
                "code_verifier": attempt.verifier,
            },
            SCOPES,
        )

    def refresh_tokens(self, tokens: Tokens, *, client_id: str) -> Tokens:
        """Exchange the refresh token, which works once, for new ones. Raises like :meth:`exchange_code`."""
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh or ""}
        renewed = self._request_tokens({**form, **_build_client_field(client_id)}, tokens.scopes)
        if renewed.refresh is not None:
            return renewed
        return Tokens(renewed.access, tokens.refresh, renewed.expires_in, renewed.scopes)

    def revoke(self, tokens: Tokens, *, client_id: str, end_session: bool = False) -> None:
        """Revoke both tokens, the longer-lived first (RFC 7009). ``end_session`` also signs the person out.

        Raises like :meth:`exchange_code`.
        """
        extra = {**_build_client_field(client_id), **({"end_session": "true"} if end_session else {})}
        tokens_to_revoke = (("refresh_token", tokens.refresh), ("access_token", tokens.access))
        for hint, token in tokens_to_revoke:
            if token is not None:
                form = {"token": token, "token_type_hint": hint}
                _check_response(self._post("/oauth/revoke", {**form, **extra}))

    def fetch_username(self, tokens: Tokens) -> str:
        """Fetch the person's name; empty if there is none. Raises :class:`ServiceUnavailableError`."""
        extra = {"Authorization": f"Bearer {tokens.access}"}
        response = self._post("/oauth/introspect", {"token": tokens.access}, extra)
        if not response.is_success:
            return ""
        data = _parse_object(response)
        name = data.get("username") or data.get("sub") or ""
        return name if isinstance(name, str) else ""

    def _request_tokens(self, form: Mapping[str, str], scopes: tuple[str, ...]) -> Tokens:
        """Request tokens. ``scopes`` apply if the response names none (RFC 6749 section 5.1)."""
        data = _parse_object(_check_response(self._post("/oauth/token", form)))
        access, refresh, life = data.get("access_token"), data.get("refresh_token"), data.get("expires_in")
        kind, scope = data.get("token_type"), data.get("scope")
        usable = isinstance(access, str) and access and isinstance(kind, str) and kind.lower() == "bearer"
        if not usable or not isinstance(access, str) or not isinstance(refresh, str | None):
            raise ServiceUnavailableError("The service sent unusable tokens.")
        seconds = float(life) if isinstance(life, int | float) and life > 0 else 300.0
        return Tokens(access, refresh, seconds, tuple(scope.split()) if isinstance(scope, str) else scopes)

    def _is_fresh(self, since: float, data: Metadata | ServiceUnavailableError) -> bool:
        return self._clock() - since < (
            METADATA_ERROR_CACHE_SECONDS
            if isinstance(data, ServiceUnavailableError)
            else METADATA_CACHE_SECONDS
        )

    def _load_metadata(self) -> Metadata | ServiceUnavailableError:
        try:
            return self._read_metadata()
        except ServiceUnavailableError as error:
            return error

    def _read_metadata(self) -> Metadata:
        try:
            response = self._http.get("/.well-known/oauth-authorization-server")
        except httpx.HTTPError as error:
            raise ServiceUnavailableError("The service does not respond.") from error
        data = _parse_object(response) if response.is_success else {}
        issuer, endpoint = data.get("issuer"), data.get("authorization_endpoint")
        if not (isinstance(issuer, str) and isinstance(endpoint, str)):
            raise ServiceUnavailableError("The service's metadata have no sign-in endpoint.")
        if urlsplit(endpoint).scheme not in ("http", "https"):
            raise ServiceUnavailableError("The service's sign-in endpoint is not a web URL.")
        return Metadata(issuer, endpoint)

    def _post(
        self, path: str, form: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        try:
            return self._http.post(path, data=dict(form), headers=headers)
        except httpx.HTTPError as error:
            raise ServiceUnavailableError("The service does not respond.") from error


def _build_client_field(client_id: str) -> dict[str, str]:
    """Build the ``client_id`` field; empty if the id is no longer known, since the tokens suffice."""
    return {"client_id": client_id} if client_id else {}


def _check_response(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    if response.status_code >= 500 or response.status_code in (408, 429):
        raise ServiceUnavailableError("The service is unavailable.")
    try:
        error = _parse_object(response).get("error")
    except ServiceUnavailableError:
        error = None
    raise OAuthError(error if isinstance(error, str) else "refused")


def _parse_object(response: httpx.Response) -> dict[str, Any]:
    try:
        data = response.json()
    except ValueError as error:
        raise ServiceUnavailableError("The service's response is not a JSON object.") from error
    if not isinstance(data, dict):
        raise ServiceUnavailableError("The service's response is not a JSON object.")
    return data
