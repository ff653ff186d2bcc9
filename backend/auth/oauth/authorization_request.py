"""Validates authorization requests (RFC 6749 section 4.1.1 with PKCE) before a page is shown."""

import re
from dataclasses import dataclass
from typing import Literal

from backend.auth.oauth import redirect_uris
from backend.auth.oauth.apps import App
from backend.auth.oauth.parameters import Parameters
from backend.auth.principal import SCOPES, Scope

CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
DEFAULT_SCOPE: Scope = "read"
REQUEST_PARAMETERS = (
    "response_type",
    "response_mode",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "prompt",
)
"""The parameters of a request; others are ignored (RFC 6749 section 3.1)."""

ProblemCode = Literal["client", "redirect", "unreadable"]
"""Why a request gets an error page and no redirect: its application or redirect URI is not verified."""


class UnredirectableRequest(Exception):
    """The request must not be redirected; the person sees an error page."""

    def __init__(self, problem: ProblemCode) -> None:
        super().__init__(problem)
        self.problem: ProblemCode = problem


class RedirectedError(Exception):
    """The browser is redirected to the application with an error."""

    def __init__(self, redirect_uri: str, state: str | None, error: str, description: str) -> None:
        super().__init__(error)
        self.redirect_uri = redirect_uri
        self.state = state
        self.error = error
        self.description = description


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A valid request. ``parameters`` are the sent ones, which the form of the page repeats."""

    app: App
    redirect_uri: str
    scopes: tuple[Scope, ...]
    state: str | None
    code_challenge: str
    parameters: dict[str, str]

    @property
    def requires_password(self) -> bool:
        """Whether the page asks for the password of a signed-in browser (OpenID Connect ``prompt=login``)."""
        return "login" in self.parameters.get("prompt", "").split(" ")

    def build_error(self, error: str, description: str) -> RedirectedError:
        return RedirectedError(self.redirect_uri, self.state, error, description)


def validate_client(sent: Parameters, app: App | None) -> tuple[App, str]:
    """Return the application and its redirect URI, compared exactly with the registered ones.

    Raises :class:`UnredirectableRequest`.
    """
    if app is None or "client_id" in sent.repeated:
        raise UnredirectableRequest("client")
    uri = sent.get("redirect_uri")
    if uri is None or "redirect_uri" in sent.repeated or uri not in app.redirect_uris:
        raise UnredirectableRequest("redirect")
    return app, uri


def validate_request(sent: Parameters, app: App | None) -> AuthorizationRequest:
    """Validate the parameters; raises :class:`UnredirectableRequest` or :class:`RedirectedError`.

    ``app`` is the application of the request's ``client_id``, None if unknown.
    """
    client, uri = validate_client(sent, app)
    state = None if "state" in sent.repeated else sent.get("state")

    def refuse(error: str, description: str) -> RedirectedError:
        return RedirectedError(uri, state, error, description)

    for name in REQUEST_PARAMETERS:
        if name in sent.repeated:
            raise refuse("invalid_request", f"The parameter {name} is there more than once.")
    kind = sent.get("response_type")
    if kind is None:
        raise refuse("invalid_request", "The parameter response_type is missing: it is code.")
    if kind != "code":
        raise refuse("unsupported_response_type", "The response_type must be code.")
    if sent.get("response_mode") not in (None, "query"):
        raise refuse("invalid_request", "The response_mode must be query.")
    challenge = sent.get("code_challenge")
    if challenge is None or sent.get("code_challenge_method") != "S256":
        raise refuse(
            "invalid_request", "PKCE is required: a code_challenge, and the code_challenge_method S256."
        )
    if not CHALLENGE.fullmatch(challenge):
        raise refuse(
            "invalid_request", "The code_challenge must be 43 characters of base64url, as S256 gives."
        )
    scopes = _parse_scopes(sent.get("scope"))
    if not scopes:
        raise refuse("invalid_scope", f"The scopes are {', '.join(SCOPES)}, with single spaces between them.")
    parameters = {name: sent.values[name] for name in REQUEST_PARAMETERS if name in sent.values}
    return AuthorizationRequest(client, uri, scopes, state, challenge, parameters)


def build_redirect_url(redirect_uri: str, state: str | None, issuer: str, answer: dict[str, str]) -> str:
    """Build the URL of the redirect with ``answer``, ``state`` and always ``iss`` (RFC 9207)."""
    with_state = {} if state is None else {"state": state}
    return redirect_uris.add_parameters(redirect_uri, {**answer, **with_state, "iss": issuer})


def _parse_scopes(requested: str | None) -> tuple[Scope, ...]:
    """Parse the requested scopes; empty if one of them does not exist."""
    requested_scopes = {DEFAULT_SCOPE} if requested is None else set(requested.split(" "))
    if not requested_scopes.issubset(SCOPES):
        return ()
    return tuple(scope for scope in SCOPES if scope in requested_scopes)
