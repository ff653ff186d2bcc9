"""Configures structured logs: one event per line, as JSON or for a terminal, without secrets."""

import contextlib
import logging
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any, TextIO

import orjson
import structlog

from backend.runtime.redaction import redact

_json_handler: logging.StreamHandler[TextIO] | None = None
"""The handler of the log; None if the log is not JSON."""


def _redact_event(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact(value)
    return event


def report_errors_only() -> None:
    """Log errors only, on standard error, until :func:`configure`: commands print failures themselves."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def configure(log_format: str, log_level: str) -> None:
    """Send the logs of the service and of all libraries through one chain to standard error.

    ``log_format``: ``console``, ``json``, or ``auto``, which is console on a terminal.
    """
    console = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _redact_event,
    ]
    renderer: structlog.types.Processor = (
        structlog.dev.ConsoleRenderer() if console else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    global _json_handler
    _json_handler = None if console else handler
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.access").disabled = True  # our own access log has the request id
    for name in ("httpx", "httpcore", "alembic", "dbos", "streamlit", "watchdog", "mcp", "sse_starlette"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # stamina logs each retry; the caller logs the final failure.
    logging.getLogger("stamina").setLevel(logging.ERROR)


def write_json_line(name: str, event: dict[str, Any]) -> bool:
    """Write ``event`` of the logger ``name`` at the level info, for events by the thousand per second.

    It takes 10 µs instead of 220 µs, because nothing is redacted: no value may come from a caller unchecked.
    Returns false, and writes nothing, unless the log is JSON.
    """
    handler = _json_handler
    if handler is None:
        return False
    timestamp = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    line = orjson.dumps({**event, "level": "info", "logger": name, "timestamp": timestamp}).decode()
    with contextlib.suppress(OSError, ValueError):  # a reader of the log that has gone stops no response
        handler.acquire()
        try:
            handler.stream.write(f"{line}\n")
            handler.flush()
        finally:
            handler.release()
    return True
