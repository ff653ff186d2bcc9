"""An authorization request (RFC 6749 section 4.1.1 with PKCE), judged before anything is shown."""

import re
from dataclasses import dataclass
from typing import Literal

from backend.auth.oauth import redirect_uris
from backend.auth.oauth.apps import App
from backend.auth.oauth.parameters import Parameters
from backend.auth.principal import SCOPES, Scope

CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
DEFAULT_SCOPE: Scope = "read"
ASKED = (
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
"""The parameters that make a request; others are ignored (RFC 6749 section 3.1)."""

Fault = Literal["client", "redirect", "unreadable"]
"""Why a request is shown to the person and not answered to the application: nobody knows whose it is."""


class Shown(Exception):
    """The request is not to be redirected."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault: Fault = fault


class Answered(Exception):
    """The application is told, at its redirect URI, what is wrong."""

    def __init__(self, redirect_uri: str, state: str | None, error: str, description: str) -> None:
        super().__init__(error)
        self.redirect_uri = redirect_uri
        self.state = state
        self.error = error
        self.description = description


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """One that may be put before a person. ``parameters`` is as it was sent, for the form to send again."""

    app: App
    redirect_uri: str
    scopes: tuple[Scope, ...]
    state: str | None
    code_challenge: str
    parameters: dict[str, str]

    @property
    def wants_password(self) -> bool:
        """Whether the password is to be asked for although the browser stays signed in (OpenID Connect's
        ``prompt=login``)."""
        return "login" in self.parameters.get("prompt", "").split(" ")

    def refused(self, error: str, description: str) -> Answered:
        return Answered(self.redirect_uri, self.state, error, description)


def client_and_redirect(sent: Parameters, app: App | None) -> tuple[App, str]:
    """The application, and the redirect URI that is exactly one of its own; raises :class:`Shown`."""
    if app is None or "client_id" in sent.repeated:
        raise Shown("client")
    uri = sent.get("redirect_uri")
    if uri is None or "redirect_uri" in sent.repeated or uri not in app.redirect_uris:
        raise Shown("redirect")
    return app, uri


def judge(sent: Parameters, app: App | None) -> AuthorizationRequest:
    """Raises :class:`Shown` or :class:`Answered` for what cannot be put before a person.

    ``app`` is the application of the request's ``client_id``, if there is one.
    """
    known, uri = client_and_redirect(sent, app)
    state = None if "state" in sent.repeated else sent.get("state")

    def refuse(error: str, description: str) -> Answered:
        return Answered(uri, state, error, description)

    for name in ASKED:
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
    scopes = _scopes(sent.get("scope"))
    if not scopes:
        raise refuse("invalid_scope", f"The scopes are {', '.join(SCOPES)}, with single spaces between them.")
    parameters = {name: sent.values[name] for name in ASKED if name in sent.values}
    return AuthorizationRequest(known, uri, scopes, state, challenge, parameters)


def answer_address(redirect_uri: str, state: str | None, issuer: str, answer: dict[str, str]) -> str:
    """Where the browser goes with ``answer``; ``iss`` is in it always (RFC 9207)."""
    with_state = {} if state is None else {"state": state}
    return redirect_uris.with_answer(redirect_uri, {**answer, **with_state, "iss": issuer})


def _scopes(asked: str | None) -> tuple[Scope, ...]:
    """Those asked for; none when one of them does not exist."""
    wanted = {DEFAULT_SCOPE} if asked is None else set(asked.split(" "))
    if not wanted.issubset(SCOPES):
        return ()
    return tuple(scope for scope in SCOPES if scope in wanted)
