"""Fetching a foreign address that came in with somebody's data."""

import contextlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

import httpx
import ssrfguard
from ssrfguard.httpx import SafeBackend

from backend.upstream.deadline import MAX_ADDRESSES, Clock, Deadline, Resolver, resolve_host, use_deadline
from backend.upstream.failures import FailureKind, UpstreamFailure, convert_errors
from backend.upstream.transport import MIB, build_client, origin_name, read_body

# A cloud platform's internal service on a public address. Registries list it as globally routable, but it
# answers only from inside and gives out certificates and settings.
_WIRE_SERVER = ssrfguard.Block(
    network=ip_network("168.63.129.16/32"),
    name="a cloud platform's virtual public address",
    rfc="no RFC",
    reach=ssrfguard.Reach.DENIED,
)
_DENIED = ssrfguard.AddressTable((*ssrfguard.DEFAULT_DENIED.blocks, _WIRE_SERVER))
_INTERNAL_SUFFIXES = (
    ".localhost",
    ".local",
    ".internal",
    ".lan",
    ".intranet",
    ".corp",
    ".home.arpa",
    ".onion",
)
_ISATAP_IDS = (0x0000_5EFE, 0x0200_5EFE)


class _PublicPolicy(ssrfguard.Policy):
    """Adds ISATAP (RFC 5214) to the library's policy.

    ISATAP has an IPv4 address in the low half of any prefix, so no table of prefixes can list it.
    """

    def check_address(self, address: Any) -> None:
        parsed = ip_address(address) if isinstance(address, str) else address
        if isinstance(parsed, IPv6Address) and (int(parsed) >> 32) & 0xFFFF_FFFF in _ISATAP_IDS:
            raise ssrfguard.BlockedAddressError(str(parsed), "an ISATAP address tunnels to IPv4")
        super().check_address(parsed)


_PUBLIC = _PublicPolicy(denied_networks=_DENIED, max_connection_attempts=MAX_ADDRESSES)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched document. ``url`` is its URL after redirects; ``content_type`` has no parameters.

    ``not_modified`` means that the host answered 304 to a conditional request; then the body is empty.
    """

    url: str
    content_type: str
    headers: Mapping[str, str]
    body: bytes
    not_modified: bool = False


class HostSlots:
    """Limits the number of concurrent requests to each host."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_use: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def acquire(self, host: str, deadline: Deadline) -> Iterator[None]:
        with self._changed:
            if not self._changed.wait_for(lambda: self._in_use[host] < self._limit, deadline.limit(None)):
                raise TimeoutError("the host is busy with our other requests")
            self._in_use[host] += 1
        try:
            yield
        finally:
            with self._changed:
                self._in_use[host] -= 1
                if not self._in_use[host]:
                    del self._in_use[host]
                self._changed.notify_all()


MAX_REQUESTS_PER_HOST = 4
_slots = HostSlots(MAX_REQUESTS_PER_HOST)
_CONDITIONAL_HEADERS = frozenset({"if-none-match", "if-modified-since"})
_ALLOWED_HEADERS = _CONDITIONAL_HEADERS | {"accept", "accept-language"}


def guarded_fetch(
    url: str,
    *,
    accept: Sequence[str],
    max_bytes: int = 2 * MIB,
    deadline_seconds: float = 10.0,
    redirects: int = 5,
    headers: Mapping[str, str] | None = None,
    allow: Sequence[str] = (),
    resolver: Resolver = resolve_host,
    clock: Clock = time.monotonic,
) -> Fetched:
    """Fetch the document at an untrusted ``url`` from a public host, if its type is in ``accept``.

    ``accept`` contains content types (``image/png``) or families (``image/*``). ``allow`` contains
    ``host:port`` pairs that may be reached although they are not public; otherwise only ports 80 and 443
    are allowed. ``deadline_seconds`` and ``max_bytes`` limit the whole fetch. Every redirect is checked
    like the first URL. Raises :class:`UpstreamFailure`, also for a status other than 200.

    ``headers`` go to every host of a redirect chain, so only conditions (``If-None-Match``,
    ``If-Modified-Since``), ``Accept`` and ``Accept-Language`` are allowed. ``Accept`` replaces the header
    built from ``accept``; the response must still match ``accept``. With a condition, 304 is valid.
    """
    allowed, request_headers = _parse_pairs(allow), _build_headers(accept, headers or {})
    with use_deadline(Deadline(deadline_seconds, clock)) as limit:
        for _ in range(redirects + 1):
            with convert_errors(_format_host(url), limit):
                policy, parsed = _check_url(url, allowed)
                with _slots.acquire(parsed.host, limit):
                    result = _fetch_once(parsed, policy, accept, request_headers, max_bytes, limit, resolver)
            if isinstance(result, Fetched):
                return result
            url = result
    message = f"{_format_host(url)} was not reached within {redirects} redirects."
    raise UpstreamFailure(FailureKind.REDIRECT, message)


def _fetch_once(
    url: httpx.URL,
    policy: ssrfguard.Policy,
    accept: Sequence[str],
    headers: Mapping[str, str],
    max_bytes: int,
    deadline: Deadline,
    resolver: Resolver,
) -> Fetched | str:
    """Fetch the document, or return the URL of a redirect."""
    host = origin_name(url)
    backend = SafeBackend(policy=policy, resolver=resolver)
    with build_client(backend, headers, deadline.seconds) as client, client.stream("GET", url) as response:
        if response.next_request is not None:
            return str(response.next_request.url)
        if response.status_code == 304 and not _CONDITIONAL_HEADERS.isdisjoint(headers):
            return Fetched(str(url), "", response.headers, b"", not_modified=True)
        if response.status_code != 200:
            message = f"{host} answered with status {response.status_code}."
            raise UpstreamFailure(
                FailureKind.STATUS, message, status=response.status_code, headers=response.headers
            )
        content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not any(_matches_content_type(content_type, expected) for expected in accept):
            type_text = repr(content_type[:60]) if content_type else "no content type"
            message = f"{host} sent {type_text} instead of {', '.join(accept)}."
            raise UpstreamFailure(FailureKind.CONTENT_TYPE, message)
        body = read_body(response, max_bytes, host, gzip=False)
        return Fetched(str(url), content_type, response.headers, body)


def _build_headers(accept: Sequence[str], extra: Mapping[str, str]) -> dict[str, str]:
    """Build the request headers, with names in lower case."""
    lowercase = {name.lower(): value for name, value in extra.items()}
    if forbidden := sorted(lowercase.keys() - _ALLOWED_HEADERS):
        raise ValueError(f"{', '.join(forbidden)} may not be sent to a foreign address.")
    return {"accept": ", ".join(accept), **lowercase, "accept-encoding": "identity"}


def is_public(url: str) -> bool:
    """Whether ``url`` itself looks public, so that it may be fetched or shown.

    Resolves no name. The suffix shows whether a name has a meaning only inside a network.
    """
    try:
        _, parsed = _check_url(url, frozenset())
        host = parsed.host.rstrip(".").lower()
    except (ssrfguard.SSRFGuardError, httpx.InvalidURL, UnicodeError):
        return False
    if parsed.scheme not in ("http", "https"):
        return False
    if ":" in host:
        return True  # an IPv6 literal that the policy allows
    try:
        _PUBLIC.check_address(socket.inet_ntoa(socket.inet_aton(host)))  # as resolvers read 0x7f.1
    except ssrfguard.SSRFGuardError:
        return False
    except OSError:
        return "." in host and not host.endswith(_INTERNAL_SUFFIXES)
    return True


def _matches_content_type(content_type: str, expected: str) -> bool:
    return content_type == expected or (expected.endswith("/*") and content_type.startswith(expected[:-1]))


def _check_url(url: str, allowed: frozenset[tuple[str, int]]) -> tuple[ssrfguard.Policy, httpx.URL]:
    """Check ``url`` as written and as the HTTP client parses it. Returns the policy and the parsed URL.

    The backend checks the resolved addresses again when it opens the socket.
    """
    policy = _select_policy(url, allowed)
    policy.check_url(url)
    parsed = httpx.URL(url)
    policy.check_url(str(parsed))
    return policy, parsed


def _select_policy(url: str, allowed: frozenset[tuple[str, int]]) -> ssrfguard.Policy:
    try:
        split = urlsplit(url)
        pair = (split.hostname or "", split.port or (443 if split.scheme.lower() == "https" else 80))
    except ValueError:
        return _PUBLIC
    if pair not in allowed:
        return _PUBLIC
    return ssrfguard.Policy(
        allowed_hosts=frozenset({pair[0]}),
        allowed_ports=frozenset({pair[1]}),
        allowed_networks=(ip_network("0.0.0.0/0"), ip_network("::/0")),
        max_connection_attempts=MAX_ADDRESSES,
    )


def _parse_pairs(allow: Sequence[str]) -> frozenset[tuple[str, int]]:
    pairs = set()
    for entry in allow:
        try:
            split = urlsplit(f"//{entry}")
            host, port = split.hostname, split.port
        except ValueError:
            host = port = None
        if not host or not port or split.path or split.username is not None:
            raise ValueError(f"{entry!r} is not a host:port pair such as 127.0.0.1:9900 or [::1]:9900.")
        pairs.add((host, port))
    return frozenset(pairs)


def _format_host(url: str) -> str:
    """Return host and port of ``url`` for an error: its credentials and query may be secrets."""
    try:
        split = urlsplit(url)
        host, port = split.hostname, split.port
    except ValueError:
        return "The address"
    if not host:
        return "The address"
    return host[:255] if port is None else f"{host[:255]}:{port}"
