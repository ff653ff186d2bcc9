"""Builds and serves the index of the search palette: coins, topics, entities and profiles.

The browser fetches it when the palette is first opened, and searches it without further requests.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypedDict
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dashboard.client import callers, markets, timelines, topics
from dashboard.client.market_schemas import Asset, LocalizedNames, PriceRecord
from dashboard.i18n import Language, match_locale
from dashboard.sign_in import guard

PATH = "/search-index"
MAX_STORIES = 5
"""As many as the Topics page shows, so that both share one cached response."""

Item = tuple[str, str, str, str]
"""Label, note (a symbol or an English name), link, and all other names, one a line."""


class SearchIndex(TypedDict):
    """``is_complete``: the service answered all requests, so the browser may keep the index."""

    is_complete: bool
    coins: list[Item]
    topics: list[Item]
    entities: list[Item]
    profiles: list[Item]


def load_index(lang: Language) -> SearchIndex:
    """Load the index with the labels in ``lang``; a group is empty if the service does not answer."""
    assets, prices, names = markets.fetch_assets(), markets.fetch_prices(), markets.fetch_names()
    stories = topics.fetch_ranking(lang, "news", top=MAX_STORIES)
    profiles = timelines.fetch_profiles()
    names_by_id, coins = names.data or {}, assets.data or []
    ids = {coin["id"] for coin in coins}
    return {
        "is_complete": all(answer.data is not None for answer in (assets, prices, names, stories, profiles)),
        "coins": build_coins(coins, prices.data or {}, names_by_id, lang),
        "topics": [
            (story["title"], "", _build_url("/topics", topic=str(story["id"])), "")
            for story in (stories.data["topics"] if stories.data is not None else ())
        ],
        "entities": build_entities({id: entry for id, entry in names_by_id.items() if id not in ids}, lang),
        "profiles": build_profiles(profiles.data or ()),
    }


def build_coins(
    coins: Iterable[Asset],
    prices: Mapping[str, PriceRecord],
    names: Mapping[str, LocalizedNames],
    lang: Language,
) -> list[Item]:
    """Build the items of coins, the largest market capitalisation first."""
    ranks = {id: price["market_cap_rank"] for id, price in prices.items()}
    ranked = sorted(coins, key=lambda coin: ranks.get(coin["id"]) or len(ranks) + 1)
    return [
        _build_item(
            names[coin["id"]][lang] if coin["id"] in names else coin["name"],
            coin["symbol"].upper(),
            _build_url("/rankings", coin=coin["id"]),
            [coin["name"], *_list_names(names.get(coin["id"]))],
        )
        for coin in ranked
    ]


def build_entities(names: Mapping[str, LocalizedNames], lang: Language) -> list[Item]:
    """Build the items of entities, sorted by label; each leads to the topics about it."""
    items = [
        _build_item(
            entry[lang],
            entry["en"] if entry[lang] != entry["en"] else "",
            _build_url("/topics", entity=id),
            _list_names(entry),
        )
        for id, entry in names.items()
    ]
    return sorted(items, key=lambda item: item[0].casefold())


def build_profiles(names: Iterable[str]) -> list[Item]:
    """Build the items of evaluation profiles, sorted by name."""
    return [
        (name, "", _build_url("/timelines", profiles=re.sub(r"([\\,])", r"\\\1", name)), "")
        for name in sorted(names, key=str.casefold)
    ]


def _list_names(entry: LocalizedNames | None) -> Iterator[str]:
    if entry is not None:
        yield from (entry["en"], entry["ja"], entry["zh"], *entry["aliases"])


def _build_item(label: str, note: str, link: str, names: Iterable[str]) -> Item:
    seen: set[str] = {label.casefold(), note.casefold()}
    others: list[str] = []
    for name in names:
        if name.casefold() not in seen:
            seen.add(name.casefold())
            others.append(name)
    return label, note, link, "\n".join(others)


def _build_url(path: str, **query: str) -> str:
    return f"{path}?{urlencode(query)}"


async def serve_index(request: Request) -> Response:
    """Serve the index in the language of ``?lang=``, with the rights of the signed-in person."""
    lang = match_locale(request.query_params.get("lang"))
    load, session = partial(load_index, lang), guard.get_session(request.scope)
    if session is not None:
        load = partial(callers.run_as, session, load)
    return JSONResponse(await run_in_threadpool(load), headers={"Cache-Control": "no-store"})


ROUTES: Sequence[Route] = (Route(PATH, serve_index, methods=["GET"]),)
