"""Configures structured logs: one event per line, as JSON or for a terminal, without secrets."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from backend.runtime.redaction import redact


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
