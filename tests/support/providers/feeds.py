"""Builds small feeds in the formats of publishers and polls them from a local server."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from backend.articles.rules.active_rules import ActiveRules
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.feeds.feed_list import Feed, FeedList
from backend.topics.feeds.fetching import FeedReport, refresh_feeds
from tests.support.providers.provider_server import Behaviour, ProviderServer

NOW = datetime(2026, 5, 18, 12, 0, tzinfo=UTC)
LONG = (
    "The committee of the exchange said on Monday that it will move the reserves of its oldest wallets to "
    "a new custodian by the end of the summer, after an audit found that several keys had been held by "
    "one person."
)


def item(number: int | str, title: str | None = None, text: str = "", *, more: str = "") -> str:
    return (
        f"<item><title>{escape(title or f'Title number {number}')}</title>"
        f"<link>https://news.example/{number}</link><guid isPermaLink='false'>n-{number}</guid>"
        f"<description>{escape(text)}</description>{more}</item>"
    )


def build_date_element(moment: str) -> str:
    return f"<pubDate>{moment}</pubDate>"


def rss(items: Iterable[str], *, about: str = "") -> bytes:
    head = "<?xml version='1.0' encoding='utf-8'?><rss version='2.0'><channel><title>News</title>"
    return f"{head}<link>https://news.example/</link>{about}{''.join(items)}</channel></rss>".encode()


def feed(server: ProviderServer, name: str = "a", **fields: Any) -> Feed:
    values = {"id": name, "name": name.title(), "language": "en", "kind": "trade_press", **fields}
    return Feed(url=f"{server.url}/{name}", **values)


class Round:
    """Polls feeds from a server, as the worker does each minute."""

    def __init__(self, server: ProviderServer, database: Database, home: Path, *feeds: Feed) -> None:
        allow = (f"127.0.0.1:{server.port}",)
        self.server, self.database = server, database
        self.settings = Settings(mode="live", home=home, fetch_allow=allow)
        self.rules = ActiveRules(self.settings)
        self.listed = FeedList(feeds or (feed(server),))

    def serve(self, body: bytes, name: str = "a", **headers: str) -> None:
        response_headers = {header.replace("_", "-"): value for header, value in headers.items()}
        self.server.always(
            f"/{name}", Behaviour(body=body, content_type="application/rss+xml", headers=response_headers)
        )

    def ask(self, now: datetime = NOW, **options: Any) -> FeedReport:
        return refresh_feeds(
            self.settings, self.database, self.rules, now=now, configured=self.listed, **options
        )
