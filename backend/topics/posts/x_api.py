"""Calls the X API v2: recent search, posts by id, and the usage of the project.

https://docs.x.com/x-api/posts/recent-search, https://docs.x.com/x-api/posts/get-posts-by-ids and
https://docs.x.com/x-api/usage/get-usage. This module neither waits nor retries after a refusal: see
``x_rate_limits.py``.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Literal, TypeVar

from pydantic import SecretStr

from backend.markets.model import ProviderError
from backend.markets.providers.provider_http import ProviderResponse, fetch
from backend.settings import Settings
from backend.topics.posts import x_parsing
from backend.topics.posts.model import PROVIDER_NAME, Page, Usage, XRequestError
from backend.upstream import UpstreamClient

T = TypeVar("T")
Endpoint = Literal["search", "lookup", "usage"]
MIN_PAGE_SIZE, MAX_PAGE_SIZE = 10, 100
"""Bounds of ``max_results`` of a search page."""
MAX_LOOKUP_IDS = 100
"""Posts of one lookup."""
_FIELDS = {
    "tweet.fields": "public_metrics,created_at,lang,author_id",
    "expansions": "author_id",
    "user.fields": "username,name,verified",
}


class XApi:
    """Sends requests through ``client``, which adds the bearer token."""

    def __init__(self, client: UpstreamClient, token: SecretStr) -> None:
        self._client = client
        self._token = token

    @classmethod
    def connect(cls, token: SecretStr, base_url: str) -> "XApi":
        """Raises ``ValueError`` if the base URL or the token cannot be used in a request."""
        token_text = token.get_secret_value().strip()
        if not token_text:
            raise ValueError("The bearer token is empty.")
        bearer = SecretStr(f"Bearer {token_text}")
        return cls(UpstreamClient(base_url, secret_headers={"Authorization": bearer}), token)

    @classmethod
    def from_settings(cls, settings: Settings) -> "XApi | None":
        """Create the client that ``settings`` configure; None without a token."""
        token = settings.x_bearer_token
        return None if token is None else cls.connect(token, settings.x_base_url)

    def search(
        self,
        query: str,
        *,
        now: datetime,
        page_size: int,
        since_id: str | None = None,
        start_time: datetime | None = None,
        next_token: str | None = None,
    ) -> Page:
        """Return a page of matching posts of the last week, newest first: after ``since_id``, or without it
        from ``start_time`` on. ``page_size`` lies between :data:`MIN_PAGE_SIZE` and :data:`MAX_PAGE_SIZE`."""
        params: dict[str, str | int] = {"query": query, "max_results": page_size, **_FIELDS}
        if since_id is not None:
            params["since_id"] = since_id
        elif start_time is not None:
            params["start_time"] = start_time.strftime("%Y-%m-%dT%H:%M:%SZ")
        if next_token is not None:
            params["next_token"] = next_token
        return self._send_request("/2/tweets/search/recent", params, now, x_parsing.parse_page)

    def lookup(self, ids: Sequence[str], *, now: datetime) -> Page:
        """Return the current state of these posts; ``unavailable_ids`` lists the ones that X no longer
        has."""
        return self._send_request("/2/tweets", {"ids": ",".join(ids), **_FIELDS}, now, x_parsing.parse_page)

    def usage(self, *, now: datetime) -> Usage:
        """Return the project's usage of this month without reading a post."""
        return self._send_request("/2/usage/tweets", {}, now, x_parsing.parse_usage)

    def close(self) -> None:
        self._client.close()

    def _send_request(
        self,
        path: str,
        params: Mapping[str, str | int],
        now: datetime,
        parse: Callable[[ProviderResponse, datetime], T],
    ) -> T:
        try:
            return parse(fetch(PROVIDER_NAME, self._client, path, params), now)
        except XRequestError as error:
            raise XRequestError(
                error.kind,
                self._redact(error.message),
                retry_after=error.retry_after,
                window=error.window,
                is_invalid_request=error.is_invalid_request,
            ) from None
        except ProviderError as error:
            raise XRequestError(error.kind, self._redact(error.message)) from None

    def _redact(self, message: str) -> str:
        """Remove the token: error messages may quote the request."""
        return message.replace(self._token.get_secret_value().strip(), "[token]")
