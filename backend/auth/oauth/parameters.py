"""Parameters of a query or a form, read as RFC 6749 asks: without a value is absent, and twice is a fault."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import parse_qsl

from fastapi import Request
from starlette.requests import ClientDisconnect

from backend.auth.oauth.errors import OAuthError

FORM = "application/x-www-form-urlencoded"
LARGEST = 64 * 1024
MOST = 64


@dataclass(frozen=True, slots=True)
class Parameters:
    """``values`` has the first of each name that is not blank; ``names`` are all, ``repeated`` those
    that came more than once."""

    values: dict[str, str]
    names: frozenset[str]
    repeated: frozenset[str]

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def need(self, name: str) -> str:
        """Raises :class:`OAuthError` when there is none."""
        value = self.values.get(name)
        if value is None:
            raise OAuthError("invalid_request", f"The parameter {name} is missing.")
        return value

    def refuse_repeated(self, names: Collection[str]) -> None:
        """Raises :class:`OAuthError` when one of ``names`` came more than once."""
        for name in names:
            if name in self.repeated:
                raise OAuthError("invalid_request", f"The parameter {name} is there more than once.")


def read(encoded: bytes) -> Parameters:
    """Raises :class:`OAuthError` for what is too long or not UTF-8."""
    if len(encoded) > LARGEST:
        _too_large()
    try:
        pairs = parse_qsl(encoded.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST)
    except UnicodeDecodeError:
        raise OAuthError("invalid_request", "The parameters are not UTF-8 in percent-encoding.") from None
    except ValueError:
        raise OAuthError("invalid_request", f"There are more than {MOST} parameters.") from None
    values: dict[str, str] = {}
    seen: set[str] = set()
    repeated: set[str] = set()
    for name, value in pairs:
        if name in seen:
            repeated.add(name)
        seen.add(name)
        if value:
            values.setdefault(name, value)
    return Parameters(values, frozenset(seen), frozenset(repeated))


async def read_form(request: Request) -> Parameters:
    """The parameters of a request's body. Raises :class:`OAuthError` for any other type, and too much."""
    types = request.headers.getlist("content-type")
    media_type, _, rest = (types[0] if len(types) == 1 else "").partition(";")
    charset = rest.partition("charset=")[2].strip(' "').lower()
    if media_type.strip().lower() != FORM or charset not in ("", "utf-8", "utf8"):
        raise OAuthError("invalid_request", f"The body must be {FORM}, in UTF-8.", status=415)
    length = request.headers.get("content-length", "").strip().lstrip("0")
    if length.isdigit() and (len(length) > 9 or int(length) > LARGEST):
        _too_large()
    try:
        return read(await request.body())
    except ClientDisconnect:
        raise OAuthError("invalid_request", "The connection ended before the body was complete.") from None


def _too_large() -> NoReturn:
    raise OAuthError("invalid_request", f"The parameters are over the limit of {LARGEST} bytes.", status=413)
