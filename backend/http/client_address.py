"""Where a request comes from: whether from this machine, and as whom its sender is counted.

The address is that of the connection. A proxy's word for it counts only where the server was told to
trust that proxy, which then has put the address in its place before anything here reads it.
"""

import ipaddress
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Protocol

FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})
IPV6_NETWORK = 64
"""Bits of an IPv6 address that name whoever got it; the others are its holder's own to choose."""
LONGEST_NAME = 64
"""Of an address that is none, as a proxy may tell: more of it is not kept."""


class Caller(Protocol):
    """The holder of a valid credential, as far as middleware and rate limits need to know it."""

    @property
    def id(self) -> str: ...

    @property
    def local(self) -> bool:
        """Whether this is the dashboard's key on the service's own machine."""
        ...

    @property
    def scopes(self) -> Collection[str]: ...


def is_on_this_machine(host: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request comes from loopback, and from a program rather than through a proxy.

    A proxy that is not trusted passes on the requests of anybody: what it adds to them tells it apart.
    """
    return is_loopback(host) and not any(name in FORWARDED for name, _ in headers)


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host in ("localhost", "testclient")
    mapped = address.ipv4_mapped if address.version == 6 else None
    return (mapped or address).is_loopback


@lru_cache(maxsize=4096)
def counted_as(host: str) -> str:
    """One name for all addresses that one caller has: an IPv4 address, or an IPv6 network of 64 bits."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host[:LONGEST_NAME]
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    # As a number: an address may bear a zone (%eth0), which no network has.
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, IPV6_NETWORK)))
