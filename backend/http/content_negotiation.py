"""Negotiates the media type of a response (RFC 9110, section 12.5.1)."""

JSON = "application/json"
EVENT_STREAM = "text/event-stream"


def prefers(accept: str | None, media_type: str) -> bool:
    """Return whether a client names ``media_type`` with at least the quality of JSON.

    A client that accepts neither gets JSON too, as the RFC allows: it may be useful, unlike an error.
    """
    if not accept:
        return False
    qualities = dict(_parse_media_range(part) for part in accept.split(","))
    quality = qualities.get(media_type, 0.0)
    json = qualities.get(JSON, qualities.get("application/*", qualities.get("*/*", 0.0)))
    return quality > 0 and quality >= json


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
