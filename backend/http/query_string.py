"""Validates the encoding of a query string. The framework would replace invalid bytes silently."""

from urllib.parse import unquote_to_bytes

from backend.errors import BadRequest, FieldError


def validate_query_string(query: bytes) -> None:
    """Raise :class:`BadRequest` for a parameter that is not UTF-8 in percent-encoding (RFC 3986, 2.5)."""
    if query.isascii() and b"%" not in query:
        return
    for pair in query.split(b"&"):
        name = unquote_to_bytes(pair.partition(b"=")[0].replace(b"+", b" "))
        try:
            pair.decode("ascii")
            unquote_to_bytes(pair).decode()
        except UnicodeDecodeError:
            raise _build_encoding_error(name.decode(errors="replace")) from None


def _build_encoding_error(name: str) -> BadRequest:
    message = "Is not UTF-8 in percent-encoding, as %E5%B8%81 is for 币"
    fault: FieldError = {"loc": ["query", name], "msg": message, "type": "query_encoding"}
    return BadRequest(f"query.{name}: {message}.", errors=[fault])
