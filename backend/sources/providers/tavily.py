"""Tavily Search: https://docs.tavily.com/documentation/api-reference/endpoint/search."""

from pydantic import SecretStr

from backend.sources.providers import responses
from backend.sources.providers.protocols import SearchFailed
from backend.upstream import UpstreamClient, UpstreamFailure

MOST = 20
"""Results that the provider gives at the most."""


class Tavily:
    name = "Tavily"

    def __init__(self, client: UpstreamClient) -> None:
        self._client = client

    @classmethod
    def connect(cls, key: SecretStr, base_url: str) -> "Tavily":
        bearer = SecretStr(f"Bearer {key.get_secret_value()}")
        return cls(UpstreamClient(base_url, secret_headers={"Authorization": bearer}))

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[str]:
        asked = {
            "query": query[: responses.LONGEST_QUERY],
            "max_results": min(limit, MOST),
            "topic": "general",
            "include_domains": [site] if site else [],
        }
        try:
            response = self._client.post("/search", asked)
        except UpstreamFailure as failure:
            raise SearchFailed(self.name, failure.message) from None
        body = responses.payload(self.name, response)
        return responses.addresses(body.get("results"), limit=limit, site=site)

    def close(self) -> None:
        self._client.close()
