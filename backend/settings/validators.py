"""Reads the forms that settings have: addresses, hosts and rates."""

from ipaddress import ip_address
from urllib.parse import urlsplit

REDIS_SCHEMES = ("redis", "rediss", "unix")
DATABASE_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg", "sqlite")


def parse_rate(text: str) -> tuple[int, int]:
    """Requests and seconds of a rate such as ``600/minute`` or ``20 per 10 seconds``."""
    import limits  # not at the top: most starts need it not, and it takes a tenth of a second

    try:
        found = [(item.amount, item.get_expiry()) for item in limits.parse_many(text)]
    except ValueError:
        found = []
    if len(found) != 1 or not found[0][0]:
        raise ValueError(f"must be a rate such as 600/minute, or off; {text[:40]!r} is not one.")
    return found[0]


def is_redis_address(url: str) -> bool:
    """Whether the Redis client can be given ``url``."""
    try:
        parts = urlsplit(url)
        named = parts.path if parts.scheme == "unix" else parts.hostname
        return parts.scheme in REDIS_SCHEMES and bool(named) and not parts.query and (parts.port or 1) > 0
    except ValueError:  # a port that is no number
        return False


def reachable(host: str) -> str:
    """``host`` as a URL on this machine names it: loopback where a program listens on every address."""
    try:
        address = ip_address(host)
    except ValueError:  # a name
        return host
    if address.is_unspecified:
        return "127.0.0.1"
    return f"[{host}]" if address.version == 6 else host


def is_loopback(host: str) -> bool:
    """Whether what listens on ``host`` is reached from this machine alone; of names, ``localhost`` is."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def with_driver(url: str) -> str:
    """The address with the driver that is installed."""
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url.removeprefix(scheme)
    return url


def is_database_address(url: str) -> bool:
    """Whether ``url`` names a database of a supported kind, with a port that is a number if it has one."""
    try:
        parts = urlsplit(url)
        return parts.scheme in DATABASE_SCHEMES and "://" in url and (parts.port or 1) > 0
    except ValueError:
        return False


def is_http_address(url: str) -> bool:
    """Whether ``url`` is an http or https address with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
