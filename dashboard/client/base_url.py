"""Where the service is, for calls that the reader copies."""

from functools import cache

from backend.settings import Settings


@cache
def base_url() -> str:
    """As the settings of this process name it; without a slash at its end."""
    return Settings().api_url
