"""Validates the headers of a JSON body before the body is read."""

from collections.abc import Iterable

from backend.errors import PayloadTooLarge, UnsupportedMediaType


def validate_body_headers(headers: Iterable[tuple[bytes, bytes]], *, limit: int) -> None:
    """Raise :class:`UnsupportedMediaType` for a body that is not JSON, then :class:`PayloadTooLarge`
    for a declared length over ``limit`` bytes.

    A body sent in chunks declares no length; its reader stops at the limit. A request without a body
    passes, and the endpoint reports the missing fields. Compressed bodies are refused: a small one could
    grow without end.
    """
    length, is_chunked, is_encoded, types = b"", False, False, []
    for name, value in headers:
        if name == b"content-length":
            length = value.strip().lstrip(b"0")
        elif name == b"transfer-encoding":
            is_chunked = True
            is_encoded |= value.strip().lower() != b"chunked"
        elif name == b"content-encoding":
            is_encoded |= value.strip().lower() not in (b"", b"identity")
        elif name == b"content-type":
            types.append(value)
    if not length and not is_chunked:
        return
    if len(types) != 1 or not is_json(types[0]):
        raise UnsupportedMediaType("The body must be JSON: send it with 'Content-Type: application/json'.")
    if is_encoded:
        raise UnsupportedMediaType("The body must not be compressed: send it without 'Content-Encoding'.")
    # Compare the number of digits first: int() raises another error for thousands of digits.
    if length.isdigit() and (len(length) > len(str(limit)) or int(length) > limit):
        raise PayloadTooLarge(f"The body is over the limit of {limit} bytes. Send less at once.")


def is_json(content_type: bytes) -> bool:
    """Return whether the type is ``application/json``, in UTF-8 if it has a charset (RFC 8259, 8.1)."""
    media_type, *parameters = (part.strip().lower() for part in content_type.split(b";"))
    if media_type != b"application/json":
        return False
    charsets = [part.partition(b"=")[2].strip(b'"') for part in parameters if part.startswith(b"charset=")]
    return all(charset in (b"utf-8", b"utf8") for charset in charsets)
