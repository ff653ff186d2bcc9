"""Decides whether a request comes from this machine, and under which address it is counted.

The address is that of the connection. For a trusted proxy the server has already replaced it with the
address that the proxy forwards.
"""

import ipaddress
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Protocol

FORWARDING_HEADERS = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})
IPV6_PREFIX_BITS = 64
"""Bits of an IPv6 address that identify its holder, who chooses the other bits freely."""
MAX_CLIENT_NAME_CHARS = 64
"""Maximum length of a client name that is no IP address, as a proxy may forward it."""


class Caller(Protocol):
    """The holder of a valid credential, as middleware and rate limits see it."""

    @property
    def id(self) -> str: ...

    @property
    def credential_id(self) -> str: ...

    @property
    def local(self) -> bool:
        """Whether this is the dashboard's key on the service's own machine."""
        ...

    @property
    def scopes(self) -> Collection[str]: ...


def is_on_this_machine(host: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether a request comes from loopback, and directly rather than through a proxy.

    A proxy that is not trusted forwards requests of any client. Its forwarding headers reveal it.
    """
    return is_loopback(host) and not any(name in FORWARDING_HEADERS for name, _ in headers)


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host in ("localhost", "testclient")
    mapped = address.ipv4_mapped if address.version == 6 else None
    return (mapped or address).is_loopback


@lru_cache(maxsize=4096)
def normalize_address(host: str) -> str:
    """Map all addresses of one caller to one name: an IPv4 address, or an IPv6 network of 64 bits."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host[:MAX_CLIENT_NAME_CHARS]
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    # Convert to a number first: an address may have a zone (%eth0), which a network cannot have.
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, IPV6_PREFIX_BITS)))
