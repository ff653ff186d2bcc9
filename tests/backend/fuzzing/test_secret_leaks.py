"""Tests that no secret appears in logs, responses, metrics, results or stored files.

It uses known secrets in every operation that needs one; most fail. The upstream refuses every request and
quotes it in full.
"""

import base64
import contextlib
import io
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
import sqlalchemy as sa
import structlog
from pydantic import SecretStr
from typer.testing import CliRunner

from backend.app import create_app
from backend.articles.rules.active_rules import ActiveRules
from backend.articles.tasks import article_schedules
from backend.auth import service
from backend.auth.oauth import accounts, apps, grants, sign_in_sessions
from backend.cli.commands import app as program
from backend.doctor import runner
from backend.extraction.tasks import extraction_jobs
from backend.jobs.schedules import Ticker
from backend.jobs.tables import jobs
from backend.jobs.tasks import job_schedules
from backend.jobs.worker_slots import open_locks
from backend.markets.tasks import market_schedules
from backend.settings import Settings
from backend.sources.tasks import build_source_jobs, build_source_schedules
from backend.store.database import Database
from backend.timelines.tasks import timeline_schedules
from backend.topics.tasks import topic_schedules
from tests.support.apps.market_app import enable_only
from tests.support.apps.research_app import Research
from tests.support.http.asgi import Answer, send
from tests.support.http.echoing_server import EchoingServer

OUTGOING_SECRETS = {
    "coingecko_api_key": "CG-plantedGeckoKey7q2X",
    "coinmarketcap_api_key": "planted-cmc-9f31-4c07-a5d2",
    "search_brave_api_key": "BSAplantedBrave3kLw8",
    "search_tavily_api_key": "tvly-plantedTavily5vNc",
    "model_api_key": "sk-plantedModel4hRt9Zx",
    "x_bearer_token": "AAAAplantedXtoken%3D6bYu",
}
"""Secrets of the settings that the service sends, but only to their upstream."""
URL_SETTINGS = (
    "coingecko_base_url",
    "coinmarketcap_base_url",
    "alternative_me_base_url",
    "search_searxng_url",
    "search_brave_base_url",
    "search_tavily_base_url",
    "model_base_url",
    "x_base_url",
)
PATHS = ("/prices", "/topics/1/media", "/assets/x", "/v1/timelines")
PASSWORD = "planted-password-2mQe"
ACCOUNT_PASSWORD = "planted persons phrase 8vKw"
VERIFIER = "plantedVerifier" + "x4Jd" * 8
MIN_LEAK_CHARS = 12
"""This many consecutive characters of a secret count as a leak."""


@dataclass
class Traces:
    """The used secrets, and all outputs in which they must not appear."""

    home: Path
    received: str
    secrets: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    log: str = ""
    doctor: str = ""
    results: str = ""
    metrics: str = ""

    def find_leaks(self, text: str) -> set[str]:
        return {secret for secret in self.secrets if any(part in text for part in split_secret(secret))}


def split_secret(secret: str) -> set[str]:
    """Return parts of the secret, plain and in base64, without the common prefix of its kind."""
    unique = secret.partition("v1")[2] if secret.startswith(("cp_", "cpt_")) else secret
    parts = {
        unique[start : start + MIN_LEAK_CHARS]
        for start in range(0, max(len(unique) - MIN_LEAK_CHARS, 0) + 1, 2)
    }
    return parts | {base64.b64encode(secret.encode()).decode()[:24]}


def build_settings(home: Path, upstream: EchoingServer) -> Settings:
    enable_only(home, ("bitcoin", "ethereum"))
    (home / "feeds.yaml").write_text(
        "disable: all\n"
        f"feeds: [{{id: own, name: Own, url: '{upstream.url}/feed', language: en, kind: press}}]\n"
    )
    addresses: dict[str, Any] = dict.fromkeys(URL_SETTINGS, upstream.url)
    secrets: dict[str, Any] = {name: SecretStr(value) for name, value in OUTGOING_SECRETS.items()}
    return Settings(
        home=home,
        mode="live",
        log_level="debug",
        log_format="json",
        coingecko_plan="demo",
        model_name="planted",
        fetch_allow=(upstream.host,),
        **addresses,
        **secrets,
    )


@contextlib.contextmanager
def capture_all_logs() -> Iterator[io.StringIO]:
    """Capture all levels of all loggers, and restore their configuration at the end."""
    captured = io.StringIO()
    root, configured = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers, root.level
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", captured)
        yield captured
    root.handlers = handlers
    root.setLevel(level)
    structlog.configure(**configured)


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    home = tmp_path_factory.mktemp("secrets")
    with EchoingServer() as upstream, capture_all_logs() as log:
        settings = build_settings(home, upstream)
        app = create_app(settings)
        state = app.inner.state
        traces = Traces(home, "", [*OUTGOING_SECRETS.values(), PASSWORD])
        try:
            send_requests(traces, app, settings, state.database)
            sign_in(traces, app, state.database)
            run_all_jobs(traces, settings, state.database)
            traces.doctor = "\n".join(check.sentence for check in runner.run_checks(settings))
            traces.metrics = send(app, "/metrics").body.decode()
        finally:
            state.articles.close()
            state.market.close()
            state.database.dispose()
        traces.received = upstream.received
        traces.log = log.getvalue()
    return traces


def send_requests(traces: Traces, app: Any, settings: Settings, database: Database) -> None:
    """Send requests with every kind of key, in right and wrong headers, and with wrong characters."""
    now = datetime.now(UTC)
    valid = service.create_key(database, name="valid", scopes=("read", "write", "ingest"), now=now).key
    terminal = service.create_key(database, name="terminal", scopes=(), terminal=True, now=now).key
    revoked = service.create_key(database, name="revoked", scopes=("read",), now=now)
    service.revoke_key(database, revoked.info.id, now)
    day = timedelta(days=1)
    expired = service.create_key(database, name="e", scopes=("read",), now=now - 2 * day, expires_in=day).key
    keys = [settings.local_key_file.read_text().strip(), valid, terminal, revoked.key, expired]
    traces.secrets += keys
    app.inner.state.credentials.reload()
    for key in keys:
        for credential in (
            key,
            key[:-1] + ("A" if key[-1] != "A" else "B"),
            key[:-3],
            key.upper(),
            f" {key}  x",
        ):
            for header in ("CP-X-API-KEY", "X-CP-TERMINAL-API-KEY"):
                traces.answers += [send(app, path, headers={header: credential}) for path in PATHS]
            for scheme in ("Bearer ", "bearer  ", "Basic ", ""):
                traces.answers.append(send(app, "/prices", headers={"Authorization": scheme + credential}))
        # A caller may do this by mistake. The log contains only the route, and no query.
        send(app, f"/assets/{key}?key={key}", headers={"CP-X-API-KEY": valid, "Referer": key, "Cookie": key})
    topic = {
        "category": 0,
        "published_at": now.isoformat(),
        "url": "https://a.example/",
        "texts": {"en": {"title": "Bitcoin rises above Ethereum", "summary": "A summary about Bitcoin."}},
    }
    for path, body in (
        ("/topics", orjson.dumps(topic)),
        ("/sources", b'{"statement": "Example Bank failed on 3 May 2026."}'),
        ("/sources", b'{"statement": 7}'),
        ("/entities/extractions", b"{"),
    ):
        headers = {"CP-X-API-KEY": valid, "Content-Type": "application/json", "Idempotency-Key": "a"}
        headers["Content-Length"] = str(len(body))
        traces.answers.append(send(app, path, method="POST", headers=headers, body=[body]))
    traces.answers += [send(app, "/openapi.json"), send(app, "/docs"), send(app, "/readyz")]


def sign_in(traces: Traces, app: Any, database: Database) -> None:
    """Issue, use and misuse a code and tokens. Records the responses that contain no token."""
    now, redirect = datetime.now(UTC), "http://127.0.0.1:9/back"
    client_app = apps.create(database, name="planted", redirect_uris=[redirect], first_party=True, now=now)
    client = client_app.client_id
    account = accounts.create(database, username="ada", password=ACCOUNT_PASSWORD, now=now)
    consent = grants.Consent(client, account.id, ("read",), redirect, grants.compute_code_challenge(VERIFIER))
    with database.write() as connection:
        code = grants.issue_code(connection, consent, now)
        _, session = sign_in_sessions.start(connection, account.id, user_agent="", now=now)

    def post(path: str, **form: str) -> Answer:
        body = urlencode(form).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body))}
        return send(app, path, method="POST", headers=headers, body=[body])

    exchange = {"client_id": client, "code": code, "redirect_uri": redirect, "code_verifier": VERIFIER}
    refused = post(
        "/oauth/token", grant_type="authorization_code", **{**exchange, "code_verifier": VERIFIER[1:]}
    )
    issued = orjson.loads(post("/oauth/token", grant_type="authorization_code", **exchange).body)
    refresh = {"grant_type": "refresh_token", "refresh_token": issued["refresh_token"]}
    renewed = orjson.loads(post("/oauth/token", **refresh).body)
    tokens = [
        tokens_of_grant[kind]
        for tokens_of_grant in (issued, renewed)
        for kind in ("access_token", "refresh_token")
    ]
    traces.secrets += [code, session, ACCOUNT_PASSWORD, VERIFIER, *tokens]
    for token in (*tokens, tokens[0][:-1], code):
        traces.answers += [
            send(app, path, headers={"Authorization": f"Bearer {token}"}) for path in ("/prices", "/topics/1")
        ]
        traces.answers.append(post("/oauth/introspect", token=token))
    form = {"username": "ada", "password": ACCOUNT_PASSWORD, "csrf_token": ACCOUNT_PASSWORD, "approve": "1"}
    parameters = {"response_type": "code", "client_id": client, "redirect_uri": redirect, "state": "s"}
    challenge = {"code_challenge": consent.code_challenge, "code_challenge_method": "S256"}
    cookie = {"Cookie": f"{app.inner.state.oauth.session_cookie.name}={session}"}
    resumed = send(app, f"/oauth/authorize?{urlencode({**parameters, **challenge})}", headers=cookie)
    assert b"code=cpc_" in dict(resumed.raw_headers)[b"location"]
    traces.answers += [
        refused,
        send(
            app,
            f"/oauth/authorize?{urlencode({**parameters, **challenge, 'prompt': 'login'})}",
            headers=cookie,
        ),
        post("/oauth/authorize", **parameters, **challenge, **form),
        post("/oauth/token", grant_type="authorization_code", **exchange),
        post("/oauth/token", **refresh),
        post("/oauth/revoke", token=tokens[0], client_id=client),
        send(
            app, f"/oauth/authorize?{urlencode({**parameters, 'password': ACCOUNT_PASSWORD, 'code': code})}"
        ),
    ]


def run_all_jobs(traces: Traces, settings: Settings, database: Database) -> None:
    """Run every schedule once and every job to its end; all requests to the upstream fail."""
    rules = ActiveRules(settings)
    types = {
        job_type.kind: job_type
        for job_type in (build_source_jobs(settings, database, rules), extraction_jobs(settings, rules))
    }
    schedules = [
        *market_schedules(settings, database),
        *article_schedules(settings, database),
        *build_source_schedules(settings, database),
        *topic_schedules(settings, database, rules),
        *timeline_schedules(settings, database),
        *job_schedules(database, list(types.values()), keep=timedelta(days=30)),
    ]
    locks = open_locks(settings.jobs_database_url, settings.home)
    ticker = Ticker(schedules, locks)
    for schedule in schedules:
        ticker.tick(schedule.name, datetime.now(UTC))
    locks.close()
    research = Research("", "", "", database, types)
    research.work()
    with database.read() as connection:
        traces.results = str(connection.execute(sa.select(jobs)).all())


def test_every_secret_was_used(traces: Traces) -> None:
    assert {name for name, secret in OUTGOING_SECRETS.items() if secret not in traces.received} == set()
    assert {answer.status for answer in traces.answers} >= {200, 201, 202, 400, 401}


def test_no_secret_is_in_the_log_at_any_level(traces: Traces) -> None:
    assert traces.find_leaks(traces.log) == set()
    lines = [
        line for line in traces.log.splitlines() if line.startswith("{")
    ]  # Python itself may write warnings
    events = {orjson.loads(line)["event"] for line in lines}
    assert "request" in events


def test_no_secret_is_in_a_response(traces: Traces) -> None:
    for answer in traces.answers:
        response = answer.text.decode("latin-1") + str(answer.raw_headers)
        assert traces.find_leaks(response) == set()


def test_no_secret_is_in_the_metrics(traces: Traces) -> None:
    assert "chainproof_http_requests_total" in traces.metrics
    assert traces.find_leaks(traces.metrics) == set()


def test_no_secret_is_in_the_output_of_the_doctor(traces: Traces) -> None:
    assert "401" in traces.doctor or "refuse" in traces.doctor, traces.doctor
    assert traces.find_leaks(traces.doctor) == set()


def test_no_secret_is_in_a_jobs_result(traces: Traces) -> None:
    assert "completed" in traces.results or "failed" in traces.results
    assert traces.find_leaks(traces.results) == set()


def test_the_store_contains_only_digests(traces: Traces) -> None:
    files = [path for path in traces.home.rglob("*") if path.is_file() and path.name != "local.key"]
    assert any(path.name == "chainproof.db" for path in files)
    for path in files:
        assert traces.find_leaks(path.read_bytes().decode("latin-1")) == set(), path.name


@pytest.mark.parametrize("command", [["doctor", "--json"], ["doctor"], ["migrate"], ["keys", "list"]])
def test_the_password_of_an_unreachable_store_is_not_shown(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINPROOF_HOME", str(tmp_path))
    monkeypatch.setenv("CHAINPROOF_DATABASE_URL", f"postgresql://chain:{PASSWORD}@127.0.0.1:1/app")
    result = CliRunner().invoke(program, command)
    assert result.exit_code != 0
    output = result.output + str(result.exception) + repr(result.exc_info)
    assert "127.0.0.1" in output or "store" in output
    assert not any(part in output for part in split_secret(PASSWORD))


def test_settings_contain_no_readable_secret(traces: Traces, tmp_path: Path) -> None:
    with EchoingServer() as upstream:
        settings = build_settings(tmp_path, upstream)
    text = f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert traces.find_leaks(text) == set()
