"""Validates redirect URIs at registration, and adds response parameters to them. No I/O.

Requests are compared with the registered URIs as strings, without parsing (RFC 9700 section 4.1.3).
"""

import re
from collections.abc import Mapping
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from backend.errors import BadRequest

MAX_URI_CHARS = 2000
URI = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
"""The characters of RFC 3986 without ``#``."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
PRIVATE_SCHEME = re.compile(r"[a-z][a-z0-9+\-]*(\.[a-z0-9+\-]+)+")
"""Scheme of an installed application: a domain name in reverse order (RFC 8252 section 7.1)."""
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.\-]*[A-Za-z0-9])?")
RESPONSE_PARAMETERS = frozenset(("code", "state", "iss", "error", "error_description", "error_uri"))


def validate(uri: str) -> str:
    """Return ``uri`` if it may be registered; raises :class:`BadRequest` with the reason."""
    if not uri or len(uri) > MAX_URI_CHARS or not URI.fullmatch(uri):
        raise BadRequest(
            f"A redirect URI has 1 to {MAX_URI_CHARS} of the characters that RFC 3986 allows, "
            "and no fragment (#)."
        )
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        raise BadRequest("The redirect URI has a host or port that cannot be.") from None
    if parts.username is not None or parts.password is not None:
        raise BadRequest("A redirect URI holds no user name or password.")
    if parts.scheme in ("http", "https"):
        _check_web(parts, port)
    elif not PRIVATE_SCHEME.fullmatch(parts.scheme) or parts.netloc or not parts.path.startswith("/"):
        raise BadRequest(
            "A redirect URI begins with https://, with http:// and a loopback address, or with a scheme of "
            "your own as com.example.app:/callback has."
        )
    reserved = RESPONSE_PARAMETERS.intersection(
        name for name, _ in parse_qsl(parts.query, keep_blank_values=True)
    )
    if reserved:
        raise BadRequest(f"The query of a redirect URI may not hold {sorted(reserved)[0]}: the answer does.")
    return uri


def _check_web(parts: SplitResult, port: int | None) -> None:
    host = parts.hostname or ""
    if host != "::1" and ("[" in parts.netloc or not HOST.fullmatch(host)):
        raise BadRequest("The redirect URI names no host.")
    if port == 0:
        raise BadRequest("The redirect URI names port 0, on which nobody listens.")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise BadRequest(
            "http:// is for programs on this machine: 127.0.0.1, [::1] or localhost. Use https://."
        )


def add_parameters(uri: str, parameters: Mapping[str, str]) -> str:
    """Append ``parameters`` to the query of ``uri`` (RFC 6749 section 4.1.2)."""
    joint = "?" if "?" not in uri else "" if uri.endswith(("?", "&")) else "&"
    return f"{uri}{joint}{urlencode(parameters)}"


def csp_source(uri: str) -> str:
    """Return the source of ``uri`` for a content security policy: its origin.

    It is the scheme for an IPv6 address or a private scheme, since a policy cannot name their hosts.
    """
    parts = urlsplit(uri)
    if parts.scheme in ("http", "https") and parts.hostname and ":" not in parts.hostname:
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"


def describe_target(uri: str) -> str:
    """Return the redirect target as people see it: the host, or the scheme of an application."""
    parts = urlsplit(uri)
    return parts.netloc or f"{parts.scheme}:"
