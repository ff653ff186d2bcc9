"""Describes errors of a submitted run: location, kind and reason.

The reason follows the field's name in a sentence ("total_score must be a number, not a string").
"""

import re
from typing import NamedTuple

Place = tuple[str | int, ...]

_MESSAGE = re.compile(r"(?P<words>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<index>\d+)\]")
_FIELD = re.compile(r"Object (?P<what>missing required|contains unknown) field `(?P<name>.*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<meant>[^`]+)`(?P<bound>[^,]*)(?:, got `(?P<got>[^`]+)`)?")
_WORDS = {
    "float": "a number",
    "int": "an integer",
    "str": "a string",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
MAX_FIELD_CHARS = 100


class Fault(NamedTuple):
    """An error in a run. ``place`` is the path to the wrong field; it is empty for the run as a whole."""

    place: Place
    kind: str
    reason: str


def translate_error(error: Exception) -> Fault:
    """Translate an error of msgspec about one run."""
    match = _MESSAGE.fullmatch(str(error))
    words, path = (match["words"], match["path"] or "") if match else (str(error), "")
    location: Place = tuple(
        int(step["index"]) if step["index"] is not None else step["name"] for step in _STEP.finditer(path)
    )
    if field := _FIELD.fullmatch(words):
        field_location = (*location, _make_printable(field["name"]))
        if field["what"] == "missing required":
            return Fault(field_location, "missing", "is missing")
        return Fault(field_location, "unknown_field", "is not a field of a run")
    if expected := _EXPECTED.fullmatch(words):
        expectation = " or ".join(_WORDS.get(part, part) for part in expected["meant"].split(" | "))
        actual_text = f", not {_WORDS.get(expected['got'], expected['got'])}" if expected["got"] else ""
        return Fault(
            location,
            "type" if actual_text else "range",
            f"must be {expectation}{_describe_bound(expected['bound'])}{actual_text}",
        )
    if words == "Number out of range":
        return Fault(location, "range", "must be a number that 64 bits can hold")
    return Fault(location, "invalid", words[:1].lower() + words[1:])


def _describe_bound(bound: str) -> str:
    """Describe a bound in msgspec's notation in words."""
    for symbol, words in ((">= ", "at least "), ("<= ", "at most "), ("> ", "above "), ("< ", "below ")):
        bound = bound.replace(symbol, words)
    length = re.fullmatch(r" of length at (least|most) (\d+)", bound)
    return f" of at {length[1]} {length[2]} in length" if length else bound


def _make_printable(name: str) -> str:
    """Return a name of the sender in a form that can be sent back."""
    return name.encode(errors="replace").decode()[:MAX_FIELD_CHARS]
