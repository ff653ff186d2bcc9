"""Provides the base URL of the service for commands that the reader copies."""

from functools import cache

from backend.settings import Settings


@cache
def get_base_url() -> str:
    """Returns the URL from the settings of this process, without a trailing slash."""
    return Settings().api_url
