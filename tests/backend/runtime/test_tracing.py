"""Tests the traces that an OpenTelemetry collector receives."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from pydantic import SecretStr

from backend.auth import gate, service
from backend.auth.key_cache import KeyCache
from backend.doctor.installation_checks import check_collector
from backend.errors import BadRequest
from backend.http.middleware import RequestLimits, ServiceMiddleware
from backend.http.prepared_responses import Prepared
from backend.jobs.runner import JobContext
from backend.jobs.schedules import Schedule, Ticker
from backend.jobs.worker_slots import FileLocks
from backend.runtime import tracing
from backend.settings import Settings
from backend.store.database import Database
from backend.upstream import RetryPolicy, UpstreamClient, UpstreamFailure
from tests.support.apps.market_app import CALM
from tests.support.http.asgi import send
from tests.support.jobs.job_harness import runner
from tests.support.jobs.submitted_jobs import NOW, short_jobs, submit
from tests.support.processes.running import free_port
from tests.support.providers.provider_server import Behaviour, ProviderServer, says

SECRET = "hush-4711"
ACCEPTED = Behaviour(200, b"", "application/x-protobuf")


class Collector:
    """Accepts traces, and gives those that it received when tracing ends."""

    def __init__(self, server: ProviderServer) -> None:
        self._server = server
        self.url = server.url
        server.always(tracing.TRACES_PATH, ACCEPTED)

    def end(self) -> dict[str, Span]:
        """End tracing and return the spans by name."""
        tracing.stop()
        spans: dict[str, Span] = {}
        for request in self._server.seen(tracing.TRACES_PATH):
            assert SECRET.encode() not in request.body
            for resource in ExportTraceServiceRequest.FromString(request.body).resource_spans:
                for scope in resource.scope_spans:
                    spans.update({span.name: span for span in scope.spans})
        return spans


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture
def collector(server: ProviderServer) -> Iterator[Collector]:
    collector = Collector(server)
    tracing.start(collector.url, "chainproof-service")
    yield collector
    tracing.stop()


def read_attributes(span: Span) -> dict[str, Any]:
    values = {pair.key: pair.value for pair in span.attributes}
    return {key: getattr(value, value.WhichOneof("value")) for key, value in values.items()}


class Ready:
    """Has a prepared response at one path."""

    def find(self, path: str, query: bytes) -> Prepared | None:
        return Prepared(b"{}") if path == "/ready" else None


async def respond(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/fails":
        raise RuntimeError(SECRET)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def build_service(database: Database) -> tuple[ServiceMiddleware, str]:
    """Build a service with a prepared response, and a key for it."""
    key = service.create_key(database, name="test", scopes=["read"], now=CALM).key
    keys = KeyCache(database)
    keys.reload()
    app = ServiceMiddleware(
        respond,
        authenticate=lambda headers, terminal=False: gate.authenticate(headers, keys, terminal=terminal),
        ready=Ready(),
        mode="live",
        bounds=RequestLimits(1000),
    )
    return app, key


def test_a_request_is_a_span_of_the_trace_that_its_caller_names(
    sqlite_database: Database, collector: Collector
) -> None:
    app, key = build_service(sqlite_database)
    headers = {
        "CP-X-API-KEY": key,
        "X-Request-ID": "r-1",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    }
    send(app, f"/ready?statement={SECRET}", headers=headers)
    span = collector.end()["GET /ready"]
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (
        "0af7651916cd43dd8448eb211c80319c",
        "b7ad6b7169203331",
    )
    assert span.kind == Span.SPAN_KIND_SERVER
    assert read_attributes(span) == {
        "http.request.method": "GET",
        "http.route": "/ready",
        "http.response.status_code": 200,
        "chainproof.request_id": "r-1",
    }


def test_a_path_that_anyone_can_make_up_names_no_span(
    sqlite_database: Database, collector: Collector
) -> None:
    app, _ = build_service(sqlite_database)
    send(app, f"/{SECRET}?q=%ff")
    assert list(collector.end()) == ["GET"]


def test_the_span_of_an_unhandled_error_has_its_status_but_not_its_message(
    sqlite_database: Database, collector: Collector
) -> None:
    app, _ = build_service(sqlite_database)
    assert send(app, "/fails").status == 500
    span = collector.end()["GET"]
    assert span.status.code == Status.STATUS_CODE_ERROR
    assert read_attributes(span)["http.response.status_code"] == 500


def test_a_call_of_another_service_is_a_span_and_tells_that_service_nothing(
    server: ProviderServer, collector: Collector
) -> None:
    server.always("/page", says(404, {}))
    client = UpstreamClient(server.url, secret_headers={"X-Key": SecretStr(SECRET)})
    with tracing.trace("around", {}):
        client.get("page", {"q": SECRET})
    spans = collector.end()
    span = spans["GET 127.0.0.1"]
    assert span.parent_span_id == spans["around"].span_id
    assert span.kind == Span.SPAN_KIND_CLIENT
    assert read_attributes(span)["http.response.status_code"] == 404
    assert "traceparent" not in server.seen("/page")[0].headers


def test_the_span_of_a_failed_call_has_the_kind_of_failure(collector: Collector) -> None:
    client = UpstreamClient(f"http://127.0.0.1:{free_port()}", retry=RetryPolicy(attempts=1))
    with pytest.raises(UpstreamFailure):
        client.get("page")
    span = collector.end()["GET 127.0.0.1"]
    assert span.status.code == Status.STATUS_CODE_ERROR
    assert read_attributes(span)["error.type"] == "ConnectError"


def test_a_job_and_its_steps_are_spans(sqlite_database: Database, collector: Collector) -> None:
    def handle(context: JobContext) -> dict[str, Any]:
        context.step("read", lambda: None)
        raise BadRequest(SECRET)

    job = submit(sqlite_database, "extraction", {"text": SECRET}, title=SECRET)
    runner(sqlite_database, short_jobs(handle)).run("extraction", [job.id])
    spans = collector.end()
    assert spans["step read"].parent_span_id == spans["job extraction"].span_id
    assert read_attributes(spans["job extraction"]) == {
        "chainproof.job.id": job.id,
        "error.type": "BadRequest",
    }


def test_a_run_of_a_schedule_is_a_span(tmp_path: Any, collector: Collector) -> None:
    schedule = Schedule("market-refresh", 60, lambda now: None)
    Ticker([schedule], FileLocks(tmp_path), clock=lambda: NOW).tick("market-refresh", NOW)
    assert list(collector.end()) == ["schedule market-refresh"]


def test_requests_are_answered_while_the_collector_is_down(
    sqlite_database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    tracing.start(f"http://127.0.0.1:{free_port()}", "chainproof-service")
    try:
        app, _ = build_service(sqlite_database)
        assert send(app, "/other").status == 200
    finally:
        tracing.stop()
    assert "opentelemetry" in {record.name.partition(".")[0] for record in caplog.records}


def test_nothing_of_the_library_is_loaded_without_a_collector() -> None:
    program = """if True:
        import sys
        from backend.runtime import tracing
        tracing.start(None, "chainproof-worker")
        with tracing.trace("block", {}):
            tracing.update_current_span({})
        print([name for name in sys.modules if name.startswith("opentelemetry")])
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_doctor_says_whether_the_collector_accepts_traces(server: ProviderServer) -> None:
    assert list(check_collector(Settings())) == []
    settings = Settings(otlp_endpoint=server.url)
    server.once(tracing.TRACES_PATH, ACCEPTED, Behaviour(404, b""))
    (good,) = check_collector(settings)
    (bad,) = check_collector(settings)
    (down,) = check_collector(Settings(otlp_endpoint=f"http://127.0.0.1:{free_port()}"))
    assert (good.state, good.sentence) == ("ok", f"{server.url}/v1/traces accepts them.")
    assert (bad.state, "answers 404" in bad.sentence) == ("fault", True)
    assert (down.state, "does not answer (ConnectError)" in down.sentence) == ("fault", True)
