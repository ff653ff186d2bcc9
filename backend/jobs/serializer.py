"""Stores job data as JSON and never as pickle, since loading a pickle can run stored code.

Arguments and results of steps are plain JSON. dbos also stores tuples (as arrays, so they come back as
lists), datetimes as ``{"$datetime": "..."}``, and exceptions as ``{"$exception": {"class": "module:Name",
"message": "...", "is_answer": true}}``. ``is_answer`` is true for a :class:`ServiceError`, whose message
callers may see.
"""

import json
from datetime import datetime
from typing import Any

from dbos import Serializer

from backend.errors import ServiceError


class RecordedError(Exception):
    """Stands in for a stored exception: the name of its class, and its message."""


class JsonSerializer(Serializer):
    """The serializer for ``DBOS`` and ``DBOSClient``; both need the same."""

    def name(self) -> str:
        return "chainproof_json"

    def serialize(self, data: Any) -> str:
        """Return ASCII text, with other characters escaped, which SQLite and PostgreSQL can store.

        Raises :class:`TypeError` for data that is neither JSON, a datetime nor an exception.
        """
        return json.dumps(data, default=_encode, separators=(",", ":"))

    def deserialize(self, serialized_data: str) -> Any:
        return json.loads(serialized_data, object_hook=_decode)


def _encode(value: Any) -> dict[str, Any]:
    if isinstance(value, datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, Exception):
        kind = f"{type(value).__module__}:{type(value).__qualname__}"
        return {
            "$exception": {"class": kind, "message": str(value), "is_answer": isinstance(value, ServiceError)}
        }
    raise TypeError(
        f"Job data is stored as JSON and cannot hold {type(value).__name__}. Use JSON data or datetimes."
    )


def _decode(stored: dict[str, Any]) -> Any:
    match stored:
        case {"$datetime": str(timestamp), **rest} if not rest:
            return datetime.fromisoformat(timestamp)
        case {"$tuple": list(items), **rest} if not rest:  # stored by an earlier release
            return items
        case {"$exception": dict(recorded), **rest} if not rest:
            return _decode_exception(recorded)
    return stored


def _decode_exception(recorded: dict[str, Any]) -> Exception:
    """Restore an exception.

    A :class:`ServiceError` keeps its message, so that a resumed job fails with the same error. Other
    exceptions become a :class:`RecordedError`.
    """
    if "message" not in recorded:  # stored by an earlier release, which kept the exception's args
        recorded = {**recorded, "message": ", ".join(map(str, recorded["args"]))}
        recorded["is_answer"] = "detail" in recorded.get("attributes", {})
    if recorded.get("is_answer"):
        return ServiceError(recorded["message"])
    return RecordedError(f"{recorded['class'].rpartition(':')[2]}: {recorded['message']}")
