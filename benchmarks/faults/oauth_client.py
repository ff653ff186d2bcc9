"""Acts as an OAuth application and uses the sign-in and consent page over HTTP."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

import httpx

from backend.auth.oauth import accounts, apps
from backend.store.database import Database
from benchmarks.faults.refusals import Refusals
from benchmarks.http.oauth import CALLBACK, CHALLENGE, VERIFIER, hidden_fields

TIMEOUT_SECONDS = 40.0
ACCOUNT_COUNT = 10
"""Accounts that sign in by turns: each may be tried ten times a minute, and one address a hundred times."""
PASSWORD = "correct horse battery"
AUTHORIZE = {
    "response_type": "code",
    "redirect_uri": CALLBACK,
    "scope": "read",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}

Kind = Literal["done", "refused", "unknown", "unsent"]


@dataclass(frozen=True)
class Registered:
    """An application and the people who let it act for them."""

    client_id: str
    people: tuple[str, ...]


def register(database: Database, now: datetime) -> Registered:
    people = tuple(f"person-{number}" for number in range(ACCOUNT_COUNT))
    for name in people:
        accounts.create(database, username=name, password=PASSWORD, now=now)
    return Registered(apps.create(database, name="Desk", redirect_uris=[CALLBACK], now=now).client_id, people)


@dataclass(frozen=True)
class Answer:
    """``unknown``: it was cut off, or refused with 503, and may be done; ``unsent``: it is not."""

    kind: Kind
    content: Any = None
    """What was given, or the sentence of a refusal."""


class OAuthClient:
    """Goes to any of the nodes with each request, and counts what is neither done nor refused in words."""

    def __init__(
        self,
        urls: Callable[[], Sequence[str]],
        registered: Registered,
        rng: random.Random,
        refusals: Refusals,
    ) -> None:
        self._urls, self._who, self._chance, self._refusals = urls, registered, rng, refusals
        # Each time on a connection of its own: what was never sent on an old one would count as cut off.
        limits = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False, verify=False, limits=limits)
        self._signed_in = 0

    def code(self) -> Answer:
        """A code, from the page as a browser fills it in; where there are several nodes, another may get the
        form than the one that made it."""
        query = {**AUTHORIZE, "client_id": self._who.client_id}
        page = self._send_request("GET", "/oauth/authorize", params=query)
        if page.kind != "done":
            return Answer("unsent")
        self._signed_in += 1
        person = self._who.people[self._signed_in % len(self._who.people)]
        filled = {"username": person, "password": PASSWORD, "approve": "approve"}
        sent = self._send_request(
            "POST", "/oauth/authorize", data={**hidden_fields(page.content.text), **filled}
        )
        if sent.kind != "done":
            return sent
        answer = parse_qs(urlsplit(sent.content.headers["location"]).query)
        return Answer("done", answer["code"][0])

    def exchange(self, code: str) -> Answer:
        fixed = {"grant_type": "authorization_code", "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return self._tokens({**fixed, "client_id": self._who.client_id, "code": code})

    def refresh(self, token: str) -> Answer:
        return self._tokens(
            {"grant_type": "refresh_token", "client_id": self._who.client_id, "refresh_token": token}
        )

    def revoke(self, token: str) -> Answer:
        return self._send_request(
            "POST", "/oauth/revoke", data={"client_id": self._who.client_id, "token": token}
        )

    def opens(self, token: str, url: str | None = None) -> bool | None:
        """Whether an access token opens what it should, at one node or any; null where nobody says."""
        try:
            answer = self._http.get(
                f"{url or self._chance.choice(self._urls())}/assets",
                headers={"Authorization": f"Bearer {token}"},
            )
        except httpx.TransportError:
            return None
        if answer.status_code not in (200, 401):
            self._refusals.record(answer, answer.elapsed.total_seconds())
            return None
        return answer.status_code == 200

    def _tokens(self, form: dict[str, str]) -> Answer:
        answer = self._send_request("POST", "/oauth/token", data=form)
        return Answer("done", answer.content.json()) if answer.kind == "done" else answer

    def _send_request(self, method: str, path: str, **options: Any) -> Answer:
        began = time.monotonic()
        try:
            answer = self._http.request(method, f"{self._chance.choice(self._urls())}{path}", **options)
        except httpx.ConnectError:
            return Answer("unsent")
        except httpx.TransportError:
            return Answer("unknown")
        if answer.status_code in (200, 303):
            return Answer("done", answer)
        if answer.status_code == 400 and answer.headers["content-type"].startswith("application/json"):
            return Answer("refused", str(answer.json()["error_description"]))
        self._refusals.record(answer, time.monotonic() - began)
        return Answer("unknown")
