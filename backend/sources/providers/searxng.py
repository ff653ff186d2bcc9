"""Searches with SearXNG, a self-hosted metasearch engine.

API: https://docs.searxng.org/dev/search_api.html. An instance answers JSON only if its settings list the
format, and 403 otherwise. It has no limit of results and no key.
"""

from backend.sources.providers import responses
from backend.sources.providers.protocols import SearchFailed
from backend.upstream import UpstreamClient, UpstreamFailure


class SearXNG:
    name = "SearXNG"

    def __init__(self, client: UpstreamClient) -> None:
        self._client = client

    @classmethod
    def connect(cls, base_url: str) -> "SearXNG":
        return cls(UpstreamClient(base_url))

    def search(self, query: str, *, limit: int, site: str | None = None) -> list[str]:
        site_query = (
            f"{query[: responses.MAX_QUERY_CHARS]} site:{site}"
            if site
            else query[: responses.MAX_QUERY_CHARS]
        )
        try:
            response = self._client.get("/search", {"q": site_query, "format": "json"})
        except UpstreamFailure as failure:
            raise SearchFailed(self.name, failure.message) from None
        if response.status == 403:
            raise SearchFailed(self.name, "the instance does not offer JSON; enable it in search.formats.")
        body = responses.parse_object(self.name, response)
        return responses.collect_urls(body.get("results"), limit=limit, site=site)

    def close(self) -> None:
        self._client.close()
