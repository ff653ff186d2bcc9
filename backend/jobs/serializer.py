"""Stores job data as JSON and never as pickle, since loading a pickle can run stored code.

Arguments and outcomes of steps are plain JSON data. dbos stores three more things: tuples, which come back as
lists; instants, ``{"$datetime": "..."}``; and the exceptions of steps and workflows,
``{"$exception": {"class": "module:Name", "message": "..."}}``.
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
        """Return ASCII text, with other characters escaped, which both databases can store.

        Raises :class:`TypeError` for data of other kinds.
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
        f"Job data is stored as JSON and cannot hold {type(value).__name__}. Use plain data or instants."
    )


def _decode(stored: dict[str, Any]) -> Any:
    match stored:
        case {"$datetime": str(instant), **rest} if not rest:
            return datetime.fromisoformat(instant)
        case {"$tuple": list(items), **rest} if not rest:  # as earlier releases stored one
            return items
        case {"$exception": dict(recorded), **rest} if not rest:
            return _decode_exception(recorded)
    return stored


def _decode_exception(recorded: dict[str, Any]) -> Exception:
    """Restore an exception. A service error keeps its text, so that a resumed job fails alike."""
    if "message" not in recorded:  # of an earlier release, which stored the arguments
        recorded = {**recorded, "message": ", ".join(map(str, recorded["args"]))}
        recorded["is_answer"] = "detail" in recorded.get("attributes", {})
    if recorded.get("is_answer"):
        return ServiceError(recorded["message"])
    return RecordedError(f"{recorded['class'].rpartition(':')[2]}: {recorded['message']}")
