"""How job data is stored: JSON that comes back as it went in, never pickle.

Plain data (null, booleans, numbers, strings, lists, objects) is written as itself. What JSON lacks
is an object with one key, which begins with ``$``: ``{"$decimal": "1.50"}``, and so on for instants,
dates, durations, UUIDs, tuples, exceptions and floats that are not finite. An object that looks
like one of these by itself is wrapped in ``{"$object": ...}``.

A step returns its own result at first and what was stored when the job is resumed; the two must be
alike. Therefore a tuple stays a tuple, and what cannot be stored is refused with a sentence.
"""

import builtins
import json
import math
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from dbos import Serializer


class RecordedError(Exception):
    """Stands in for an exception that cannot be rebuilt: the name of its class, and its message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class JsonSerializer(Serializer):
    """Give it to ``DBOS`` and to ``DBOSClient`` alike."""

    def name(self) -> str:
        return "chainproof_json"

    def serialize(self, data: Any) -> str:
        """ASCII text, which both databases keep whatever characters it stands for.

        Raises :class:`TypeError` for data of other kinds.
        """
        return json.dumps(_encode(data), separators=(",", ":"), allow_nan=False)

    def deserialize(self, serialized_data: str) -> Any:
        return _decode(json.loads(serialized_data))


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [_encode(item) for item in value]}
    if isinstance(value, dict):
        return _encode_object(value)
    if isinstance(value, Exception):
        return {"$exception": _encode_exception(value)}
    return _encode_scalar(value)


def _encode_object(value: dict[Any, Any]) -> dict[str, Any]:
    odd = next((key for key in value if not isinstance(key, str)), None)
    if odd is not None:
        raise TypeError(f"Job data is stored as JSON, whose keys are strings, not {type(odd).__name__}.")
    encoded = {str(key): _encode(item) for key, item in value.items()}
    looks_like_a_tag = len(encoded) == 1 and next(iter(encoded)).startswith("$")
    return {"$object": encoded} if looks_like_a_tag else encoded


def _encode_scalar(value: Any) -> dict[str, Any]:
    match value:
        case Decimal():
            return {"$decimal": str(value)}
        case datetime():
            return {"$datetime": value.isoformat()}
        case date():
            return {"$date": value.isoformat()}
        case timedelta():
            return {"$duration": [value.days, value.seconds, value.microseconds]}
        case UUID():
            return {"$uuid": str(value)}
    raise TypeError(
        f"Job data is stored as JSON and cannot hold {type(value).__name__}. Use plain data, decimals, "
        "instants, UUIDs or exceptions."
    )


def _encode_exception(error: Exception) -> dict[str, Any]:
    """By class, arguments and attributes if it can be rebuilt from them, else by class name and message."""
    kind = f"{type(error).__module__}:{type(error).__qualname__}"
    try:
        exact = {"class": kind, "args": _encode(list(error.args)), "attributes": _encode(vars(error))}
        rebuilt = _decode_exception(exact)
        if type(rebuilt) is type(error) and str(rebuilt) == str(error):
            return exact
    except Exception:  # noqa: BLE001, S110 - whatever an exception's class does, its message is recorded
        pass
    return {"class": kind, "message": _message(error)}


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a broken __str__ must not hide that the job failed
        return "(its message cannot be shown)"


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, item),) = value.items()
            if key in _READERS:
                return _READERS[key](item)
        return {key: _decode(item) for key, item in value.items()}
    return value


def _decode_exception(recorded: dict[str, Any]) -> Exception:
    module, _, name = recorded["class"].partition(":")
    if "message" not in recorded:
        kind = _loaded_class(module, name)
        if kind is not None:
            return _rebuild(kind, _decode(recorded["args"]), _decode(recorded["attributes"]))
    shown = recorded.get("message") or ", ".join(str(part) for part in _decode(recorded["args"]))
    return RecordedError(name if module == "builtins" else f"{module}.{name}", shown)


def _loaded_class(module: str, name: str) -> type[Exception] | None:
    """The exception class of that name, if this process has it: stored data never imports a module."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def _rebuild(kind: type[Exception], args: list[Any], attributes: dict[str, Any]) -> Exception:
    """Without ``__init__``, whose parameters need not be the arguments; the built-in ones need theirs."""
    error = kind(*args) if kind.__module__ == builtins.__name__ else kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


_READERS: dict[str, Callable[[Any], Any]] = {
    "$object": lambda item: {key: _decode(inner) for key, inner in item.items()},
    "$tuple": lambda items: tuple(_decode(item) for item in items),
    "$float": float,
    "$decimal": Decimal,
    "$datetime": datetime.fromisoformat,
    "$date": date.fromisoformat,
    "$duration": lambda parts: timedelta(*parts),
    "$uuid": UUID,
    "$exception": _decode_exception,
}
