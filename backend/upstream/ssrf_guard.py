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

from backend.upstream.deadline import ATTEMPTS, Clock, Deadline, Resolver, lookup, until
from backend.upstream.failures import FailureKind, UpstreamFailure, in_our_words
from backend.upstream.transport import MIB, client, origin_name, read_body

# A cloud platform's own service on a public address: globally routable by registry, but it answers
# only from inside and hands out certificates and settings.
_WIRE_SERVER = ssrfguard.Block(
    network=ip_network("168.63.129.16/32"),
    name="a cloud platform's virtual public address",
    rfc="no RFC",
    reach=ssrfguard.Reach.DENIED,
)
_DENIED = ssrfguard.AddressTable((*ssrfguard.DEFAULT_DENIED.blocks, _WIRE_SERVER))
_INSIDE = (".localhost", ".local", ".internal", ".lan", ".intranet", ".corp", ".home.arpa", ".onion")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


class _PublicOnly(ssrfguard.Policy):
    """The guard's policy plus ISATAP (RFC 5214), which carries an IPv4 address in the low half of
    any prefix, so that no table of prefixes can hold it."""

    def check_address(self, address: Any) -> None:
        parsed = ip_address(address) if isinstance(address, str) else address
        if isinstance(parsed, IPv6Address) and (int(parsed) >> 32) & 0xFFFF_FFFF in _ISATAP:
            raise ssrfguard.BlockedAddressError(str(parsed), "an ISATAP address tunnels to IPv4")
        super().check_address(parsed)


_PUBLIC = _PublicOnly(denied_networks=_DENIED, max_connection_attempts=ATTEMPTS)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A foreign document. ``url`` is where it was found after redirects; ``content_type`` is bare.

    ``not_modified`` where the host says (304) that what the asker holds is still right: then there is
    no body.
    """

    url: str
    content_type: str
    headers: Mapping[str, str]
    body: bytes
    not_modified: bool = False


class HostSlots:
    """At most ``limit`` holders per host at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: Counter[str] = Counter()
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def hold(self, host: str, deadline: Deadline) -> Iterator[None]:
        with self._changed:
            if not self._changed.wait_for(lambda: self._held[host] < self._limit, deadline.within(None)):
                raise TimeoutError("the host is busy with our other requests")
            self._held[host] += 1
        try:
            yield
        finally:
            with self._changed:
                self._held[host] -= 1
                if not self._held[host]:
                    del self._held[host]
                self._changed.notify_all()


_slots = HostSlots(4)
_CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
_SENDABLE = _CONDITIONS | {"accept", "accept-language"}


def guarded_fetch(
    url: str,
    *,
    accept: Sequence[str],
    max_bytes: int = 2 * MIB,
    deadline: float = 10.0,
    redirects: int = 5,
    headers: Mapping[str, str] | None = None,
    allow: Sequence[str] = (),
    resolver: Resolver = lookup,
    clock: Clock = time.monotonic,
) -> Fetched:
    """The document at a foreign ``url``, if it is on a public host and of a type in ``accept``.

    ``accept`` holds content types (``image/png``) or families (``image/*``). ``allow`` holds
    ``host:port`` pairs that may be reached although they are not public. Ports are 80 and 443 else.
    ``deadline`` (seconds) and ``max_bytes`` are for the whole fetch. Every redirect is judged like
    the first address. Raises :class:`UpstreamFailure`, for a status other than 200 too.

    ``headers`` go to every host on the way, so they may be conditions (``If-None-Match``,
    ``If-Modified-Since``) and ``Accept`` or ``Accept-Language`` alone; ``Accept`` stands for the one made
    of ``accept``, by which the answer is judged all the same. With a condition, 304 is an answer too.
    """
    allowed, asked = _pairs(allow), _request_headers(accept, headers or {})
    with until(Deadline(deadline, clock)) as limit:
        for _ in range(redirects + 1):
            with in_our_words(_shown(url), limit):
                policy, parsed = _judged(url, allowed)
                with _slots.hold(parsed.host, limit):
                    found = _fetch_once(parsed, policy, accept, asked, max_bytes, limit, resolver)
            if isinstance(found, Fetched):
                return found
            url = found
    words = f"{_shown(url)} was not reached within {redirects} redirects."
    raise UpstreamFailure(FailureKind.REDIRECT, words)


def _fetch_once(
    url: httpx.URL,
    policy: ssrfguard.Policy,
    accept: Sequence[str],
    headers: Mapping[str, str],
    max_bytes: int,
    deadline: Deadline,
    resolver: Resolver,
) -> Fetched | str:
    """The document, or the address that the answer sends us on to."""
    host = origin_name(url)
    backend = SafeBackend(policy=policy, resolver=resolver)
    with client(backend, headers, deadline.seconds) as session, session.stream("GET", url) as response:
        if response.next_request is not None:
            return str(response.next_request.url)
        if response.status_code == 304 and not _CONDITIONS.isdisjoint(headers):
            return Fetched(str(url), "", response.headers, b"", not_modified=True)
        if response.status_code != 200:
            words = f"{host} answered with status {response.status_code}."
            raise UpstreamFailure(
                FailureKind.STATUS, words, status=response.status_code, headers=response.headers
            )
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not any(_fits(kind, wanted) for wanted in accept):
            shown = repr(kind[:60]) if kind else "no content type"
            words = f"{host} sent {shown} where {', '.join(accept)} was asked for."
            raise UpstreamFailure(FailureKind.CONTENT_TYPE, words)
        body = read_body(response, max_bytes, host, gzip=False)
        return Fetched(str(url), kind, response.headers, body)


def _request_headers(accept: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """What is sent along, names in lower case."""
    named = {name.lower(): value for name, value in given.items()}
    if strange := sorted(named.keys() - _SENDABLE):
        raise ValueError(f"{', '.join(strange)} may not be sent to a foreign address.")
    return {"accept": ", ".join(accept), **named, "accept-encoding": "identity"}


def is_public(url: str) -> bool:
    """Whether ``url`` is one that may be fetched or shown, as far as it tells itself.

    No name is resolved; a name that means something inside a network alone is told by its ending.
    """
    try:
        _, parsed = _judged(url, frozenset())
        host = parsed.host.rstrip(".").lower()
    except (ssrfguard.SSRFGuardError, httpx.InvalidURL, UnicodeError):
        return False
    if parsed.scheme not in ("http", "https"):
        return False
    if ":" in host:
        return True  # a literal that the policy let through
    try:
        _PUBLIC.check_address(socket.inet_ntoa(socket.inet_aton(host)))  # as resolvers read 0x7f.1
    except ssrfguard.SSRFGuardError:
        return False
    except OSError:
        return "." in host and not host.endswith(_INSIDE)
    return True


def _fits(kind: str, wanted: str) -> bool:
    return kind == wanted or (wanted.endswith("/*") and kind.startswith(wanted[:-1]))


def _judged(url: str, allowed: frozenset[tuple[str, int]]) -> tuple[ssrfguard.Policy, httpx.URL]:
    """The policy for ``url`` and the address as the client reads it, both readings judged.

    What the name resolves to is judged again where the socket is opened.
    """
    policy = _policy_for(url, allowed)
    policy.check_url(url)
    parsed = httpx.URL(url)
    policy.check_url(str(parsed))
    return policy, parsed


def _policy_for(url: str, allowed: frozenset[tuple[str, int]]) -> ssrfguard.Policy:
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
        max_connection_attempts=ATTEMPTS,
    )


def _pairs(allow: Sequence[str]) -> frozenset[tuple[str, int]]:
    found = set()
    for entry in allow:
        try:
            split = urlsplit(f"//{entry}")
            host, port = split.hostname, split.port
        except ValueError:
            host = port = None
        if not host or not port or split.path or split.username is not None:
            raise ValueError(f"{entry!r} is not a host:port pair such as 127.0.0.1:9900 or [::1]:9900.")
        found.add((host, port))
    return frozenset(found)


def _shown(url: str) -> str:
    """Host and port of ``url`` for an error: its credentials and query may be somebody's secrets."""
    try:
        split = urlsplit(url)
        host, port = split.hostname, split.port
    except ValueError:
        return "The address"
    if not host:
        return "The address"
    return host[:255] if port is None else f"{host[:255]}:{port}"
