"""Negotiates the media type of a response (RFC 9110, section 12.5.1)."""

from typing import Literal

from backend.timelines.model import ARROW

JSON = "application/json"

Form = Literal["json", "arrow"]


def negotiate_form(accept: str | None) -> Form:
    """Choose Arrow if the client names it with at least the quality of JSON; otherwise JSON.

    A client that accepts neither gets JSON too, as the RFC allows: it may be useful, unlike an error.
    """
    if not accept:
        return "json"
    qualities = dict(_parse_media_range(part) for part in accept.split(","))
    arrow = qualities.get(ARROW, 0.0)
    json = qualities.get(JSON, qualities.get("application/*", qualities.get("*/*", 0.0)))
    return "arrow" if arrow > 0 and arrow >= json else "json"


def _parse_media_range(part: str) -> tuple[str, float]:
    """Parse a media range and its quality; an invalid quality is 0."""
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
