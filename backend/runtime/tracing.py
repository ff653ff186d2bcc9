"""Sends traces of requests, outgoing calls and jobs to an OpenTelemetry collector, if one is configured.

Without a collector, nothing of OpenTelemetry is loaded. No span contains a query, a header, a body or the
message of an exception: they may contain keys, statements and articles.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

Program = Literal["chainproof-service", "chainproof-worker"]
Attributes = Mapping[str, str | int]
TRACES_PATH = "/v1/traces"
"""The path at which a collector accepts OTLP over HTTP."""
SEND_TIMEOUT_SECONDS = 3.0
"""Also limits how long a program that stops waits for the collector."""

_provider: "TracerProvider | None" = None
_tracer: "Tracer | None" = None


def start(endpoint: str | None, program: Program) -> None:
    """Start to send traces to the collector at ``endpoint``. Does nothing without one, or at the second call.

    The library reads its other options, such as ``OTEL_TRACES_SAMPLER``, from the environment. A thread
    sends a batch every five seconds. Spans that the collector does not accept are dropped and logged.
    """
    global _provider, _tracer
    if endpoint is None or _tracer is not None:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": program, "service.version": version("chainproof")})
    _provider = TracerProvider(resource=resource)
    exporter = OTLPSpanExporter(build_traces_url(endpoint), timeout=SEND_TIMEOUT_SECONDS)
    _provider.add_span_processor(BatchSpanProcessor(exporter))
    # Not as the global provider: the spans of other libraries would quote arguments and exceptions.
    _tracer = _provider.get_tracer("chainproof")


def stop() -> None:
    """Send the spans that are not sent yet, and end tracing."""
    global _provider, _tracer
    if _provider is not None:
        _provider.shutdown()
    _provider = _tracer = None


def build_traces_url(endpoint: str) -> str:
    return endpoint.rstrip("/") + TRACES_PATH


def is_started() -> bool:
    return _tracer is not None


@contextmanager
def trace_request(headers: Iterable[tuple[bytes, bytes]], method: str) -> Iterator[None]:
    """Trace a request as a part of the trace that its ``traceparent`` header names (W3C), if any."""
    from opentelemetry import propagate
    from opentelemetry.trace import SpanKind

    assert _tracer is not None
    with _tracer.start_as_current_span(
        method,
        context=propagate.extract(
            {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        ),
        kind=SpanKind.SERVER,
        attributes={"http.request.method": method},
        record_exception=False,
        set_status_on_exception=False,
    ):
        yield


@contextmanager
def trace(name: str, attributes: Attributes, *, is_call: bool = False) -> Iterator[None]:
    """Trace the block as one span, below the one around it. Does nothing where tracing is not started.

    ``is_call``: whether the block waits for another service. Of an exception, the span has only the type.
    """
    if _tracer is None:
        yield
        return
    from opentelemetry.trace import SpanKind, StatusCode

    with _tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if is_call else SpanKind.INTERNAL,
        attributes=dict(attributes),
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise


def update_current_span(attributes: Attributes, *, name: str | None = None, failed: bool = False) -> None:
    """Add attributes to the current span; set its name or mark it as failed. Does nothing without tracing."""
    if _tracer is None:
        return
    from opentelemetry.trace import StatusCode, get_current_span

    span = get_current_span()
    span.set_attributes(dict(attributes))
    if name is not None:
        span.update_name(name)
    if failed:
        span.set_status(StatusCode.ERROR)
