"""Defines the Prometheus metrics. Names follow its guide: base units, ``_total`` for counters."""

import os
import time
from functools import lru_cache

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

REQUESTS = Counter(
    "chainproof_http_requests_total",
    "Answers sent, by route template and status.",
    ["method", "route", "status"],
)
SECONDS = Histogram(
    "chainproof_http_request_duration_seconds",
    "Time from a request's arrival to the end of its answer.",
    ["route"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
LIMITED = Counter(
    "chainproof_http_limited_requests_total",
    "Requests refused with 429, by what was counted: a key, or an address without a valid one.",
    ["policy"],
)
SHED = Counter(
    "chainproof_http_shed_requests_total",
    "Requests refused with 503 or 408, by why: connections, requests, bodies, slow_body, streams, time.",
    ["reason"],
)
INSIDE = Gauge(
    "chainproof_http_requests_in_progress",
    "Requests that the application works at or that wait for one of its threads.",
    multiprocess_mode="livesum",
)
LIMITS_SHARED = Gauge(
    "chainproof_rate_limits_shared",
    "1 while requests are counted in Redis, 0 while each process counts alone.",
    multiprocess_mode="livemin",
)
PROVIDER_CALLS = Counter(
    "chainproof_provider_calls_total",
    "Calls to market data providers, by what came of them.",
    ["provider", "outcome"],
)
REFRESH_SECONDS = Histogram("chainproof_market_refresh_seconds", "Time of one market refresh.")
SNAPSHOT_SECONDS = Histogram(
    "chainproof_market_snapshot_seconds", "Time to build the answers of one refresh."
)
SNAPSHOT_AT = Gauge(
    "chainproof_market_snapshot_timestamp_seconds",
    "When the answers now served were built.",
    multiprocess_mode="max",
)

MODEL_CALLS = Counter(
    "chainproof_model_calls_total", "Calls of language models, by what came of them.", ["outcome"]
)
MODEL_TOKENS = Counter(
    "chainproof_model_tokens_total", "Tokens sent to and written by language models.", ["direction"]
)
MODEL_DAY_COST = Gauge(
    "chainproof_model_day_cost_dollars",
    "What language models cost since midnight UTC, by the configured prices.",
    multiprocess_mode="mostrecent",
)
MODEL_DAY_CALLS = Gauge(
    "chainproof_model_day_calls", "Their calls since midnight UTC.", multiprocess_mode="mostrecent"
)
MODEL_DAY_TOKENS = Gauge(
    "chainproof_model_day_tokens", "Their tokens since midnight UTC.", multiprocess_mode="mostrecent"
)
MODEL_CEILING_REACHED = Gauge(
    "chainproof_model_ceiling_reached",
    "1 while the daily cost limit blocks calls of language models.",
    multiprocess_mode="mostrecent",
)
MODEL_FAILURES = Gauge(
    "chainproof_model_failures", "Failures of the model in a row.", multiprocess_mode="mostrecent"
)
MODEL_TEXTS = Counter(
    "chainproof_model_texts_total",
    "Texts that a model worded, by kind and by what came of them.",
    ["kind", "outcome"],
)

NO_ROUTE = "(none)"
"""Route label of requests that match no route, so that arbitrary paths create no series."""


def observe(method: str, route: str, status: int, started: float) -> None:
    """Count one response; ``started`` is ``time.perf_counter()`` at the request's arrival."""
    _get_request_counter(method, route, status).inc()
    _get_request_histogram(route).observe(time.perf_counter() - started)


@lru_cache(maxsize=4096)
def _get_request_counter(method: str, route: str, status: int) -> Counter:
    """Cache the series: finding one by its labels takes longer than counting."""
    return REQUESTS.labels(method, route, str(status))


@lru_cache(maxsize=1024)
def _get_request_histogram(route: str) -> Histogram:
    return SECONDS.labels(route)


def exposition() -> tuple[bytes, str]:
    """Return the text for Prometheus and its content type, over all processes if there are several."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
