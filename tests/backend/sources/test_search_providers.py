"""Search providers, each asked over real HTTP in the shape that it documents."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from backend.settings import Settings
from backend.sources import providers
from backend.sources.providers.brave import Brave
from backend.sources.providers.protocols import SearchFailed, SearchProvider
from backend.sources.providers.searxng import SearXNG
from backend.sources.providers.tavily import Tavily
from backend.upstream import UpstreamClient
from tests.support.providers.provider_server import Behaviour, ProviderServer, says

KEY = SecretStr("sk-secret-991")
Connect = Callable[[str], SearchProvider]
PROVIDERS: dict[str, tuple[Connect, str]] = {
    "searxng": (SearXNG.connect, "/search"),
    "brave": (lambda url: Brave.connect(KEY, url), "/res/v1/web/search"),
    "tavily": (lambda url: Tavily.connect(KEY, url), "/search"),
}
ADDRESS = "https://www.sec.gov/news/1"
ROW = {"url": ADDRESS, "title": "Order <b>granted</b>", "content": "Eleven &amp; more"}
SHAPES = {
    "searxng": {
        "query": "q",
        "number_of_results": 0,
        "results": [{**ROW, "publishedDate": "2024-01-10T12:00:00"}],
    },
    "brave": {
        "type": "search",
        "web": {"results": [{**ROW, "description": ROW["content"], "page_age": "2024-01-10T12:00:00"}]},
    },
    "tavily": {
        "query": "q",
        "results": [{**ROW, "score": 0.9, "published_date": "Wed, 10 Jan 2024 12:00:00 GMT"}],
        "response_time": 0.4,
    },
}


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture(params=PROVIDERS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def provider(name: str, server: ProviderServer) -> Iterator[SearchProvider]:
    asking = PROVIDERS[name][0](server.url)
    yield asking
    asking.close()


def answer(server: ProviderServer, name: str, behaviour: Behaviour) -> None:
    server.always(PROVIDERS[name][1], behaviour)


def twice(name: str, **changed: object) -> object:
    """The shape of a provider's answer with its one row, and that row once more with other fields."""
    shape = json.loads(json.dumps(SHAPES[name]))
    rows = shape["web"]["results"] if name == "brave" else shape["results"]
    rows.append({**rows[0], **changed})
    return shape


def test_a_search_result_is_reduced_to_its_url(
    name: str, provider: SearchProvider, server: ProviderServer
) -> None:
    answer(server, name, says(200, SHAPES[name]))
    assert provider.search("etf", limit=5) == [ADDRESS]


def test_urls_are_unique_and_limited_to_the_requested_number(
    name: str, provider: SearchProvider, server: ProviderServer
) -> None:
    answer(server, name, says(200, twice(name, title="Another title")))
    assert provider.search("etf", limit=5) == [ADDRESS]
    answer(server, name, says(200, twice(name, url="https://a.example/")))
    assert provider.search("etf", limit=5) == [ADDRESS, "https://a.example/"]
    assert provider.search("etf", limit=1) == [ADDRESS]


def test_the_api_key_is_sent_in_the_header_of_the_provider(
    name: str, provider: SearchProvider, server: ProviderServer
) -> None:
    answer(server, name, says(200, SHAPES[name]))
    provider.search("etf", limit=5)
    sent = server.requests[0].headers
    keys = {"brave": sent.get("x-subscription-token"), "tavily": sent.get("authorization")}
    assert keys == {
        "brave": KEY.get_secret_value() if name == "brave" else None,
        "tavily": f"Bearer {KEY.get_secret_value()}" if name == "tavily" else None,
    }


def test_a_site_search_drops_results_from_other_hosts(
    name: str, provider: SearchProvider, server: ProviderServer
) -> None:
    shape = json.loads(json.dumps(SHAPES[name]))
    rows = shape["web"]["results"] if name == "brave" else shape["results"]
    rows += [{**rows[0], "url": url} for url in ("https://sec.gov.evil.example/", "https://notsec.gov/a")]
    answer(server, name, says(200, shape))
    assert provider.search("etf", limit=9, site="sec.gov") == [ADDRESS]
    asked = server.requests[0]
    if name == "tavily":
        assert json.loads(asked.body)["include_domains"] == ["sec.gov"]
    else:
        assert asked.query["q"] == "etf site:sec.gov"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"results": None, "web": None},
        {"results": ["x", 3, None, {}], "web": {"results": ["x", {}]}},
        {"results": [{"url": "javascript:alert(1)"}, {"url": "http://["}], "web": {"results": [{"url": 7}]}},
    ],
)
def test_rows_without_a_valid_result_are_dropped(
    name: str, provider: SearchProvider, server: ProviderServer, payload: object
) -> None:
    answer(server, name, says(200, payload))
    assert provider.search("etf", limit=5) == []


def test_null_and_invalid_fields_do_not_drop_a_result(
    name: str, provider: SearchProvider, server: ProviderServer
) -> None:
    row: dict[str, object] = {
        "url": "https://a.example/",
        "title": None,
        "content": {},
        "description": 3,
        "page_age": "soon",
    }
    answer(server, name, says(200, {"results": [row], "web": {"results": [row]}}))
    assert provider.search("etf", limit=5) == ["https://a.example/"]


@pytest.mark.parametrize(
    "refusal",
    [
        says(401, {"detail": {"error": "Unauthorized: invalid API key."}}),
        says(403, {"error": "forbidden"}),
        says(422, {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}),
        says(429, {"error": {"code": "RATE_LIMITED"}}, retry_after="60"),
        says(432, {"detail": {"error": "quota"}}),
        says(500, {}),
        Behaviour(200, b"<html>login</html>", "text/html"),
        Behaviour(200, b'{"results": [', cut=5),
        Behaviour(drop=True),
    ],
)
def test_a_provider_error_is_reported_without_the_api_key(
    name: str, provider: SearchProvider, server: ProviderServer, refusal: Behaviour
) -> None:
    answer(server, name, refusal)
    with pytest.raises(SearchFailed) as caught:
        provider.search("etf", limit=5)
    assert caught.value.message.startswith(f"{provider.name}: ")
    assert caught.value.message.endswith(".")
    assert KEY.get_secret_value() not in caught.value.message


def test_an_instance_without_json_output_gets_an_error_that_names_the_setting(server: ProviderServer) -> None:
    server.always("/search", Behaviour(403, b"Forbidden", "text/html"))
    with pytest.raises(SearchFailed, match=r"search\.formats"):
        SearXNG(UpstreamClient(server.url)).search("etf", limit=5)


def test_providers_are_built_only_in_live_mode_and_when_configured() -> None:
    named: dict[str, Any] = {"search_brave_api_key": KEY, "search_searxng_url": "http://127.0.0.1:8080"}
    assert providers.build_providers(Settings(mode="sample", **named)) == []
    assert providers.build_providers(Settings(mode="live")) == []
    both = providers.build_providers(Settings(mode="live", search_tavily_api_key=KEY, **named))
    assert [provider.name for provider in both] == ["SearXNG", "Brave Search", "Tavily"]
