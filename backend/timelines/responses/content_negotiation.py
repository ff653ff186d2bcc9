"""Which of its forms an answer is sent in (RFC 9110, section 12.5.1)."""

from typing import Literal

from backend.timelines.model import ARROW

JSON = "application/json"

Form = Literal["json", "arrow"]


def form(accept: str | None) -> Form:
    """Arrow for those who name it and want it at least as much as JSON; JSON for everybody else.

    Whoever accepts neither gets JSON too, as the RFC allows: it may be of use, and a refusal is of none.
    """
    if not accept:
        return "json"
    qualities = dict(_range(part) for part in accept.split(","))
    arrow = qualities.get(ARROW, 0.0)
    json = qualities.get(JSON, qualities.get("application/*", qualities.get("*/*", 0.0)))
    return "arrow" if arrow > 0 and arrow >= json else "json"


def _range(part: str) -> tuple[str, float]:
    """A media range and how much it is wanted; what cannot be read is not wanted."""
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                quality = float(value.strip())
            except ValueError:
                return media, 0.0
            return media, quality if 0 <= quality <= 1 else 0.0
    return media, 1.0
