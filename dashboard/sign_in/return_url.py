"""Where somebody is led back to after they signed in: a place of the dashboard, whatever was asked for."""

import re
from urllib.parse import quote

HOME = "/"
LONGEST = 1000
"""Characters; what is longer would not fit into the cookie that keeps it, and leads to its page alone."""
_PLAIN = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")
"""A path and a query in the characters of RFC 3986; without a backslash, which browsers read as a slash."""
_OWN = re.compile(r"/(sign-in|sign-out|_stcore|media|component|static|assets)(/|$)")
"""What is no page."""


def kept(asked: str | None) -> str:
    """``asked`` if it is a path of the dashboard with its query; else its path, else the first page.

    Nothing that a browser could read as another host's address comes through: the path begins with exactly
    one slash, and holds no other two in a row and no dots as a segment.
    """
    if not asked or not _PLAIN.fullmatch(asked):
        return HOME
    path = asked.partition("?")[0]  # a parser of URLs takes "///host" for a path; no browser does
    if "//" in path or _OWN.match(path):
        return HOME
    if any(segment in (".", "..") for segment in path.replace("%2e", ".").replace("%2E", ".").split("/")):
        return HOME
    if len(asked) <= LONGEST:
        return asked
    return path if len(path) <= LONGEST else HOME


def sign_in(to: str, why: str = "") -> str:
    """The address that leads to the sign-in, and from there to ``to``."""
    reason = f"&why={quote(why, safe='')}" if why else ""
    return f"/sign-in?next={quote(kept(to), safe='')}{reason}"
