"""What the headers say of a JSON body, judged before it is read."""

from collections.abc import Iterable

from backend.errors import PayloadTooLarge, UnsupportedMediaType


def judge_body(headers: Iterable[tuple[bytes, bytes]], *, limit: int) -> None:
    """Raise :class:`UnsupportedMediaType` for a body that is not JSON, then :class:`PayloadTooLarge`
    for a declared length over ``limit`` bytes.

    A body sent in chunks declares no length: whoever reads it stops at the limit. A request without
    a body passes, for the endpoint to say what is missing. Compressed bodies are not taken: a small
    one could grow without end.
    """
    length, chunked, coded, types = b"", False, False, []
    for name, value in headers:
        if name == b"content-length":
            length = value.strip().lstrip(b"0")
        elif name == b"transfer-encoding":
            chunked = True
            coded |= value.strip().lower() != b"chunked"
        elif name == b"content-encoding":
            coded |= value.strip().lower() not in (b"", b"identity")
        elif name == b"content-type":
            types.append(value)
    if not length and not chunked:
        return
    if len(types) != 1 or not is_json(types[0]):
        raise UnsupportedMediaType("The body must be JSON: send it with 'Content-Type: application/json'.")
    if coded:
        raise UnsupportedMediaType("The body must not be compressed: send it without 'Content-Encoding'.")
    # By the digits first: turning thousands of them into a number is refused by Python with another error.
    if length.isdigit() and (len(length) > len(str(limit)) or int(length) > limit):
        raise PayloadTooLarge(f"The body is over the limit of {limit} bytes. Send less at once.")


def is_json(content_type: bytes) -> bool:
    """Whether this is ``application/json``, in UTF-8 if it names a charset at all (RFC 8259 section 8.1)."""
    media_type, *parameters = (part.strip().lower() for part in content_type.split(b";"))
    if media_type != b"application/json":
        return False
    charsets = [part.partition(b"=")[2].strip(b'"') for part in parameters if part.startswith(b"charset=")]
    return all(charset in (b"utf-8", b"utf8") for charset in charsets)
