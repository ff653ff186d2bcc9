"""Serves the sample service with something behind every endpoint, and builds a request for each operation."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from backend import migrations
from backend.auth.oauth import accounts, apps
from backend.formats.timestamps import utc_now
from backend.markets.configuration import build_market
from backend.markets.refresh import Refresher
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import store as timeline_store
from backend.timelines.model import Profile
from backend.topics.model import Category, Media, Term, Topic, TopicText
from backend.topics.store import topic_store
from tests.support.apps.market_app import enable_only
from tests.support.apps.oauth_app import CALLBACK, PASSWORD, VERIFIER, Form, challenge
from tests.support.apps.research_app import Research, research_app
from tests.support.openapi.document import inline_components, list_operations
from tests.support.runs.scored_runs import run
from tests.support.runs.timeline_app import store_runs
from tests.support.waiting import wait_for

PROFILES = ("team/first", "team/second")
FORM_TYPE = "application/x-www-form-urlencoded"


PEOPLE = tuple(f"person{number}" for number in range(5))
"""They sign in by turns, because one of them may do so only ten times a minute."""


@dataclass
class Call:
    """A request to an operation. ``values`` are its parameters by place (``path``, ``query``) and name."""

    operation_id: str
    path: str
    method: str
    values: dict[str, dict[str, Any]]
    body: Any = None
    is_form: bool = False
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class DocumentedService:
    """The listening service, its document, and an OAuth application with the accounts of ``PEOPLE``."""

    research: Research
    document: dict[str, Any]
    inlined: dict[str, Any]
    client_id: str
    client: httpx.Client
    people: Iterator[str] = field(default_factory=lambda: itertools.cycle(PEOPLE))

    def build_calls(self) -> list[Call]:
        """Build a request for every operation from its examples and from what is stored now.

        Streams are left out, since they do not end.
        """
        jobs, oauth = self._submit_jobs(), self._build_oauth_values()
        calls = []
        for path, method, operation in list_operations(self.inlined):
            contents = [response.get("content", {}) for response in operation["responses"].values()]
            if any("text/event-stream" in content for content in contents):
                continue
            call = self._build_call(path, method, operation)
            if path in jobs:
                call.values["path"]["id"] = jobs[path][method]
            if call.operation_id in oauth:
                body, call.headers = oauth[call.operation_id]
                if method == "get":
                    call.values["query"] = body
                else:
                    call.body = body
            calls.append(call)
        return calls

    def send(self, call: Call) -> httpx.Response:
        path = call.path.format(**{name: _encode(value) for name, value in call.values["path"].items()})
        headers = {**call.values["header"], **call.headers}
        content = {"data" if call.is_form else "json": call.body} if call.body is not None else {}
        return self.client.request(call.method, path, params=call.values["query"], headers=headers, **content)

    def _build_call(self, path: str, method: str, operation: dict[str, Any]) -> Call:
        values: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}}
        for parameter in operation.get("parameters", ()):
            if "example" in parameter:
                values[parameter["in"]][parameter["name"]] = parameter["example"]
        content = operation.get("requestBody", {}).get("content", {})
        kind, described = next(iter(content.items()), ("", {}))
        body = described.get("example")
        return Call(operation["operationId"], path, method, values, body, kind == FORM_TYPE)

    def _submit_jobs(self) -> dict[str, dict[str, str]]:
        """Submit two jobs of each kind: a finished one to read, and a waiting one to cancel."""
        found: dict[str, dict[str, str]] = {}
        for method in ("get", "delete"):
            for path, _, operation in list_operations(self.inlined):
                if "202" in operation["responses"]:
                    answer = self.send(self._build_call(path, "post", operation))
                    for below in (f"{path}/{{id}}", f"{path}/{{id}}/steps"):
                        found.setdefault(below, {})[method] = answer.json()["data"]["job_id"]
            if method == "get":
                self.research.work()
        return found

    def _build_oauth_values(self) -> dict[str, tuple[dict[str, str], dict[str, str]]]:
        """Build the query or form of each OAuth operation, with its headers."""
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": challenge(),
            "code_challenge_method": "S256",
            "scope": "read",
        }

        def fill_in_page() -> tuple[dict[str, str], dict[str, str]]:
            page = self.client.get("/oauth/authorize", params=asked)
            person = {"username": next(self.people), "password": PASSWORD}
            form = {**Form(page.text).hidden, **person, "approve": "approve"}
            return form, {"Cookie": page.headers["set-cookie"].partition(";")[0]}

        def build_exchange() -> dict[str, str]:
            form, headers = fill_in_page()
            answer = self.client.post("/oauth/authorize", data=form, headers=headers)
            [code] = parse_qs(urlsplit(answer.headers["location"]).query)["code"]
            names = ("client_id", "redirect_uri")
            return {
                "grant_type": "authorization_code",
                "code": code,
                "code_verifier": VERIFIER,
                **{name: asked[name] for name in names},
            }

        token = self.client.post("/oauth/token", data=build_exchange()).json()["access_token"]
        return {
            "showSignInPage": (asked, {}),
            "submitSignInPage": fill_in_page(),
            "exchangeToken": (build_exchange(), {}),
            "introspectToken": ({"token": token}, {}),
            "revokeToken": ({"token": token}, {}),
        }


def _encode(value: Any) -> str:
    return str(httpx.QueryParams({"": value}))[1:]


@contextmanager
def serve_documented(home: Path) -> Iterator[DocumentedService]:
    """Serve a new store in ``home`` in sample mode."""
    enable_only(home, ("bitcoin", "ethereum"))
    client_id = _fill_store(Settings(home=home, log_level="error"))
    with (
        research_app(home) as research,
        httpx.Client(base_url=research.url, headers={"CP-X-API-KEY": research.key}, timeout=60) as client,
    ):
        wait_for(lambda: client.get("/prices").json(), "The first figures")
        document = client.get("/openapi.json").json()
        yield DocumentedService(research, document, inline_components(document), client_id, client)


def _fill_store(settings: Settings) -> str:
    migrations.upgrade(settings.app_database_url)
    database, now = Database(settings.app_database_url), utc_now()
    Refresher(database, build_market(settings, database)).tick(now)
    media = (
        Media("primary_source", "https://regulator.example/filing", "Filing"),
        Media("article", "https://news.example/1", "News", published_at=now),
        Media("tweet", "https://x.example/1", score=1.0),
    )
    text = TopicText(
        "Exchange lists an ETF", bullets=(("Trading starts today.",),), terms=(Term("ETF", "A fund."),)
    )
    topic = Topic(Category.BREAKING, now, "https://news.example/1", {"en": text}, media=media)
    with database.write() as connection:
        topic_store.store_topics(connection, [topic], now=now)
    timeline_store.upsert_profiles(database, {name: Profile(model="m") for name in PROFILES}, now=now)
    for name, score in zip(PROFILES, (0.5, 0.7), strict=True):
        made = [
            run(
                name,
                f"case {case}",
                score + case / 100,
                24 * day,
                run_id=f"{name.rpartition('/')[2]}-{day}-{case}",
                evaluation_id=f"day {day}",
            )
            for day in range(2)
            for case in range(4)
        ]
        store_runs(database, name, *made)
    app = apps.create(database, name="Desk", redirect_uris=(CALLBACK,), first_party=False, now=now)
    for person in PEOPLE:
        accounts.create(database, username=person, password=PASSWORD, now=now)
    database.dispose()
    return app.client_id
