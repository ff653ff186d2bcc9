"""Searches with Brave Search, web endpoint: https://api-dashboard.search.brave.com/app/documentation."""

from pydantic import SecretStr

from backend.sources.providers import responses
from backend.sources.providers.protocols import SearchFailed
from backend.upstream import UpstreamClient, UpstreamFailure

MAX_RESULTS = 20
"""The provider's own limit of results."""


class Brave:
    name = "Brave Search"

    def __init__(self, client: UpstreamClient) -> None:
        self._client = client

    @classmethod
    def connect(cls, key: SecretStr, base_url: str) -> "Brave":
        return cls(UpstreamClient(base_url, secret_headers={"X-Subscription-Token": key}))

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[str]:
        site_query = (
            f"{query[: responses.MAX_QUERY_CHARS]} site:{site}"
            if site
            else query[: responses.MAX_QUERY_CHARS]
        )
        try:
            response = self._client.get(
                "/res/v1/web/search", {"q": site_query, "count": min(limit, MAX_RESULTS)}
            )
        except UpstreamFailure as failure:
            raise SearchFailed(self.name, failure.message) from None
        body = responses.parse_object(self.name, response)
        rows = responses.as_object(body.get("web")).get("results")
        return responses.collect_urls(rows, limit=limit, site=site)

    def close(self) -> None:
        self._client.close()
