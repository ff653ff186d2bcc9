"""Brave Search, the web endpoint: https://api-dashboard.search.brave.com/app/documentation."""

from pydantic import SecretStr

from backend.sources.providers import responses
from backend.sources.providers.protocols import SearchFailed
from backend.upstream import UpstreamClient, UpstreamFailure

MOST = 20
"""Results that the provider gives at the most."""


class Brave:
    name = "Brave Search"

    def __init__(self, client: UpstreamClient) -> None:
        self._client = client

    @classmethod
    def connect(cls, key: SecretStr, base_url: str) -> "Brave":
        return cls(UpstreamClient(base_url, secret_headers={"X-Subscription-Token": key}))

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[str]:
        asked = (
            f"{query[: responses.LONGEST_QUERY]} site:{site}" if site else query[: responses.LONGEST_QUERY]
        )
        try:
            response = self._client.get("/res/v1/web/search", {"q": asked, "count": min(limit, MOST)})
        except UpstreamFailure as failure:
            raise SearchFailed(self.name, failure.message) from None
        body = responses.payload(self.name, response)
        rows = responses.mapping(body.get("web")).get("results")
        return responses.addresses(rows, limit=limit, site=site)

    def close(self) -> None:
        self._client.close()
