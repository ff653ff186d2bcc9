"""Searches with Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search."""

from pydantic import SecretStr

from backend.sources.providers import responses
from backend.sources.providers.protocols import SearchFailed
from backend.upstream import UpstreamClient, UpstreamFailure

MAX_RESULTS = 20
"""The provider's own limit of results."""


class Tavily:
    name = "Tavily"

    def __init__(self, client: UpstreamClient) -> None:
        self._client = client

    @classmethod
    def connect(cls, key: SecretStr, base_url: str) -> "Tavily":
        bearer = SecretStr(f"Bearer {key.get_secret_value()}")
        return cls(UpstreamClient(base_url, secret_headers={"Authorization": bearer}))

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[str]:
        payload = {
            "query": query[: responses.MAX_QUERY_CHARS],
            "max_results": min(limit, MAX_RESULTS),
            "topic": "general",
            "include_domains": [site] if site else [],
        }
        try:
            response = self._client.post("/search", payload)
        except UpstreamFailure as failure:
            raise SearchFailed(self.name, failure.message) from None
        body = responses.parse_object(self.name, response)
        return responses.collect_urls(body.get("results"), limit=limit, site=site)

    def close(self) -> None:
        self._client.close()
