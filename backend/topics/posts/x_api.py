"""Asking the X API v2: recent search, posts by id, and what the project has used.

https://docs.x.com/x-api/posts/recent-search, https://docs.x.com/x-api/posts/get-posts-by-ids and
https://docs.x.com/x-api/usage/get-usage. Nothing here waits or asks again after a refusal: see ``state.py``.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Literal, TypeVar

from pydantic import SecretStr

from backend.markets.model import ProviderError
from backend.markets.providers.provider_http import ProviderResponse, fetch
from backend.settings import Settings
from backend.topics.posts import x_parsing
from backend.topics.posts.model import NAME, Page, Usage, XRefused
from backend.upstream import UpstreamClient

T = TypeVar("T")
Endpoint = Literal["search", "lookup", "usage"]
FEWEST, MOST = 10, 100
"""Results that a page of a search may be asked to hold."""
MOST_IDS = 100
"""Posts of one look-up."""
_FIELDS = {
    "tweet.fields": "public_metrics,created_at,lang,author_id",
    "expansions": "author_id",
    "user.fields": "username,name,verified",
}


class XApi:
    """Asks through ``client``, which sends the bearer token."""

    def __init__(self, client: UpstreamClient, token: SecretStr) -> None:
        self._client = client
        self._token = token

    @classmethod
    def connect(cls, token: SecretStr, base_url: str) -> "XApi":
        """Raises ``ValueError`` for an address or a token that cannot be sent."""
        bare = token.get_secret_value().strip()
        if not bare:
            raise ValueError("The bearer token is empty.")
        bearer = SecretStr(f"Bearer {bare}")
        return cls(UpstreamClient(base_url, secret_headers={"Authorization": bearer}), token)

    @classmethod
    def configured(cls, settings: Settings) -> "XApi | None":
        """The one that ``settings`` ask for; None where they name no token."""
        token = settings.x_bearer_token
        return None if token is None else cls.connect(token, settings.x_base_url)

    def search(
        self,
        query: str,
        *,
        now: datetime,
        many: int,
        since_id: str | None = None,
        start: datetime | None = None,
        next_token: str | None = None,
    ) -> Page:
        """A page of the posts of the last week that match, newest first: after ``since_id``, or where that is
        not known from ``start`` on. ``many`` is from :data:`FEWEST` to :data:`MOST`."""
        params: dict[str, str | int] = {"query": query, "max_results": many, **_FIELDS}
        if since_id is not None:
            params["since_id"] = since_id
        elif start is not None:
            params["start_time"] = start.strftime("%Y-%m-%dT%H:%M:%SZ")
        if next_token is not None:
            params["next_token"] = next_token
        return self._read("/2/tweets/search/recent", params, now, x_parsing.page)

    def lookup(self, ids: Sequence[str], *, now: datetime) -> Page:
        """These posts as they are now; those that are no longer there stand in ``gone``."""
        return self._read("/2/tweets", {"ids": ",".join(ids), **_FIELDS}, now, x_parsing.page)

    def usage(self, *, now: datetime) -> Usage:
        """What the project has read this month; reads no post."""
        return self._read("/2/usage/tweets", {}, now, x_parsing.usage)

    def close(self) -> None:
        self._client.close()

    def _read(
        self,
        path: str,
        params: Mapping[str, str | int],
        now: datetime,
        read: Callable[[ProviderResponse, datetime], T],
    ) -> T:
        try:
            return read(fetch(NAME, self._client, path, params), now)
        except XRefused as refused:
            raise XRefused(
                refused.kind,
                self._redacted(refused.message),
                retry_after=refused.retry_after,
                window=refused.window,
                invalid=refused.invalid,
            ) from None
        except ProviderError as error:
            raise XRefused(error.kind, self._redacted(error.message)) from None

    def _redacted(self, words: str) -> str:
        """Refusals may quote what was sent."""
        return words.replace(self._token.get_secret_value().strip(), "[token]")
