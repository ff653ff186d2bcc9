"""Brave Search, the web endpoint: https://api-dashboard.search.brave.com/app/documentation."""

from pydantic import SecretStr

from backend.http_client import UpstreamClient, UpstreamFailure
from backend.sources.search import answers
from backend.sources.search.model import SearchFailed

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
        asked = f"{query[: answers.LONGEST_QUERY]} site:{site}" if site else query[: answers.LONGEST_QUERY]
        try:
            response = self._client.get("/res/v1/web/search", {"q": asked, "count": min(limit, MOST)})
        except UpstreamFailure as failure:
            raise SearchFailed(self.name, failure.message) from None
        body = answers.payload(self.name, response)
        rows = answers.mapping(body.get("web")).get("results")
        return answers.addresses(rows, limit=limit, site=site)

    def close(self) -> None:
        self._client.close()
