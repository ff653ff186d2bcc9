"""Validates the path to which a browser returns after the sign-in: always a page of the dashboard."""

import re
from urllib.parse import quote

HOME = "/"
MAX_CHARS = 1000
"""Maximum length of a path with its query, limited by the cookie; a longer one loses its query."""
_PATH_AND_QUERY = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")
"""Path and query in the characters of RFC 3986, without the backslash, which browsers treat as a slash."""
_RESERVED_PATH = re.compile(r"/(sign-in|sign-out|_stcore|media|component|static|assets)(/|$)")
"""Paths that are not pages."""


def validate_path(path_and_query: str | None) -> str:
    """Return ``path_and_query`` if it is valid; its path alone if it is too long; else the first page.

    No result can be read as a URL of another host: the path starts with exactly one slash and contains
    neither a double slash nor dot segments.
    """
    if not path_and_query or not _PATH_AND_QUERY.fullmatch(path_and_query):
        return HOME
    path = path_and_query.partition("?")[0]  # URL parsers read "///host" as a path, browsers do not
    if "//" in path or _RESERVED_PATH.match(path):
        return HOME
    if any(segment in (".", "..") for segment in path.replace("%2e", ".").replace("%2E", ".").split("/")):
        return HOME
    if len(path_and_query) <= MAX_CHARS:
        return path_and_query
    return path if len(path) <= MAX_CHARS else HOME


def build_sign_in_url(path: str, reason: str = "") -> str:
    """Build the URL of the sign-in that returns to ``path`` and shows ``reason``."""
    query = f"&why={quote(reason, safe='')}" if reason else ""
    return f"/sign-in?next={quote(validate_path(path), safe='')}{query}"
