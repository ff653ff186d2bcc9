"""Uses the application as an OAuth client and a browser, with a manual clock and fast password hashes."""

import base64
import hashlib
import itertools
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import argon2

from backend.auth.oauth import accounts, apps
from backend.auth.oauth.apps import App
from tests.support.apps.market_app import Running
from tests.support.http.asgi import Answer, send

FAST_PASSWORD_HASHER = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "correct horse battery"
CALLBACK = "https://desk.example/callback"
VERIFIER = "a-verifier-of-forty-three-characters-or-more-0123"
FORM_TYPE = "application/x-www-form-urlencoded"


def challenge(verifier: str = VERIFIER) -> str:
    """Compute the code challenge independently; a test checks it against the example of RFC 7636."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


class Form(HTMLParser):
    """Parses the fields and buttons of the page's form."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.hidden: dict[str, str] = {}
        self.fields: dict[str, dict[str, str]] = {}
        self.buttons: list[str] = []
        self.action = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.action = values["action"]
        elif tag == "input" and values.get("type") == "hidden":
            self.hidden[values["name"]] = values["value"]
        elif tag == "input":
            self.fields[values["name"]] = values
        elif tag == "button":
            self.buttons.append(values["name"])


@dataclass
class Desk:
    """One registered application and one browser."""

    running: Running
    app: App
    address: str
    cookies: dict[str, str] = field(default_factory=dict)

    def asked(self, **changes: str | None) -> dict[str, str]:
        """Build a valid authorization request with ``changes``; None removes a parameter."""
        valid: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.app.client_id,
            "redirect_uri": CALLBACK,
            "scope": "read write",
            "state": "a state & more",
            "code_challenge": challenge(),
            "code_challenge_method": "S256",
        }
        return {name: value for name, value in (valid | changes).items() if value is not None}

    def open(self, query: str | None = None, **changes: Any) -> Answer:
        """Open the page with a GET request."""
        headers = changes.pop("headers", {})
        query = urlencode(self.asked(**changes)) if query is None else query
        return self._browse("GET", f"/oauth/authorize?{query}", headers=headers)

    def submit(self, form: dict[str, str] | str, **headers: str) -> Answer:
        """Submit the page's form with a POST request."""
        return self._browse("POST", "/oauth/authorize", form, headers)

    def decide(
        self, button: str = "approve", *, username: str = "ada", password: str = PASSWORD, **changes: Any
    ) -> Answer:
        """Open the page, fill in the form and press a button."""
        page = self.open(**changes)
        assert page.status == 200, (page.status, page.headers.get("location"))
        hidden = Form(page.text.decode()).hidden
        return self.submit({**hidden, "username": username, "password": password, button: button})

    def code(self, **changes: Any) -> str:
        return read_redirect_parameters(self.decide(**changes))["code"]

    def token(self, form: dict[str, str] | None = None, **changes: str | None) -> Answer:
        """Send a POST request to the token endpoint."""
        return post(
            self.running,
            "/oauth/token",
            {name: value for name, value in ((form or {}) | changes).items() if value is not None},
        )

    def exchange(self, code: str, /, **changes: str | None) -> Answer:
        valid = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
        return self.token({**valid, "client_id": self.app.client_id, "code_verifier": VERIFIER}, **changes)

    def tokens(self, **changes: Any) -> dict[str, Any]:
        answer = self.exchange(self.code(**changes))
        assert answer.status == 200, answer.body
        response: dict[str, Any] = answer.json()
        return response

    def refresh(self, refresh_token: str, **changes: str | None) -> Answer:
        return self.token({"grant_type": "refresh_token", "refresh_token": refresh_token}, **changes)

    def read(self, access_token: str, path: str = "/assets") -> int:
        """Return the status for the token at ``path``."""
        return send(self.running.app, path, headers={"Authorization": f"Bearer {access_token}"}).status

    def introspect(self, token: str) -> dict[str, Any]:
        headers = {"CP-X-API-KEY": self.running.key}
        response: dict[str, Any] = post(self.running, "/oauth/introspect", {"token": token}, headers).json()
        return response

    def _browse(
        self,
        method: str,
        path: str,
        form: dict[str, str] | str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        request_headers = dict(headers or {})
        if self.cookies:
            request_headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = form if isinstance(form, str) else urlencode(form or {})
        if form is not None:
            request_headers.setdefault("content-type", FORM_TYPE)
        answer = send(
            self.running.app,
            path,
            method=method,
            headers=request_headers,
            body=[body.encode()],
            client=self.address,
        )
        if "set-cookie" in answer.headers:
            name, _, attributes = answer.headers["set-cookie"].partition("=")
            self.cookies[name] = attributes.partition(";")[0]
        return answer


_numbers = itertools.count(1)


def create_desk(
    running: Running, *, uris: tuple[str, ...] = (CALLBACK,), name: str = "Desk", first_party: bool = False
) -> Desk:
    """Register an application and create a browser with its own IP address. Moves the clock two minutes."""
    running.clock.move(minutes=2)
    now = running.clock()
    app = apps.create(running.database, name=name, redirect_uris=uris, first_party=first_party, now=now)
    return Desk(running, app, f"198.51.100.{next(_numbers) % 250 + 1}")


def create_person(running: Running, username: str | None = None, **more: Any) -> accounts.Account:
    """Create an account. Without a name it gets one that no other test uses, since tests share services."""
    return accounts.create(
        running.database,
        username=username or f"person{next(_numbers)}",
        password=PASSWORD,
        now=running.clock(),
        **more,
    )


def post(
    running: Running, path: str, form: dict[str, str] | str, headers: dict[str, str] | None = None
) -> Answer:
    body = form if isinstance(form, str) else urlencode(form)
    return send(
        running.app,
        path,
        method="POST",
        headers={"content-type": FORM_TYPE, **(headers or {})},
        body=[body.encode()],
    )


def read_redirect_parameters(answer: Answer, at: str = CALLBACK) -> dict[str, str]:
    """Return the parameters of a redirect to the application. Checks the issuer, which is always present."""
    assert answer.status == 303, (answer.status, answer.body)
    location = answer.headers["location"]
    assert location.startswith(at), location
    parameters = dict(parse_qsl(urlsplit(location).query, keep_blank_values=True, strict_parsing=True))
    assert parameters.pop("iss") == "http://127.0.0.1:8000"
    return parameters
