"""Parses query and form parameters by RFC 6749: empty ones count as absent, repeated ones are errors."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import parse_qsl

from fastapi import Request
from starlette.requests import ClientDisconnect

from backend.auth.oauth.errors import OAuthError

FORM = "application/x-www-form-urlencoded"
MAX_PARAMETER_BYTES = 64 * 1024
MAX_PARAMETERS = 64


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parsed parameters.

    ``values`` has the first non-empty value of each name, ``names`` all names, and ``repeated`` the names
    that occur more than once.
    """

    values: dict[str, str]
    names: frozenset[str]
    repeated: frozenset[str]

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def require(self, name: str) -> str:
        """Return the value; raises :class:`OAuthError` when it is missing."""
        value = self.values.get(name)
        if value is None:
            raise OAuthError("invalid_request", f"The parameter {name} is missing.")
        return value

    def refuse_repeated(self, names: Collection[str]) -> None:
        """Raise :class:`OAuthError` when one of ``names`` occurs more than once."""
        for name in names:
            if name in self.repeated:
                raise OAuthError("invalid_request", f"The parameter {name} is there more than once.")


def parse(encoded: bytes) -> Parameters:
    """Parse a query string or form body; raises :class:`OAuthError` if it is too long or not UTF-8."""
    if len(encoded) > MAX_PARAMETER_BYTES:
        _raise_too_large()
    try:
        pairs = parse_qsl(
            encoded.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        raise OAuthError("invalid_request", "The parameters are not UTF-8 in percent-encoding.") from None
    except ValueError:
        raise OAuthError("invalid_request", f"There are more than {MAX_PARAMETERS} parameters.") from None
    values: dict[str, str] = {}
    seen_names: set[str] = set()
    repeated: set[str] = set()
    for name, value in pairs:
        if name in seen_names:
            repeated.add(name)
        seen_names.add(name)
        if value:
            values.setdefault(name, value)
    return Parameters(values, frozenset(seen_names), frozenset(repeated))


async def read_form(request: Request) -> Parameters:
    """Parse the form in a request body; raises :class:`OAuthError` for another media type or size."""
    types = request.headers.getlist("content-type")
    media_type, _, rest = (types[0] if len(types) == 1 else "").partition(";")
    charset = rest.partition("charset=")[2].strip(' "').lower()
    if media_type.strip().lower() != FORM or charset not in ("", "utf-8", "utf8"):
        raise OAuthError("invalid_request", f"The body must be {FORM}, in UTF-8.", status=415)
    length = request.headers.get("content-length", "").strip().lstrip("0")
    if length.isdigit() and (len(length) > 9 or int(length) > MAX_PARAMETER_BYTES):
        _raise_too_large()
    try:
        return parse(await request.body())
    except ClientDisconnect:
        raise OAuthError("invalid_request", "The connection ended before the body was complete.") from None


def _raise_too_large() -> NoReturn:
    raise OAuthError(
        "invalid_request", f"The parameters are over the limit of {MAX_PARAMETER_BYTES} bytes.", status=413
    )
