"""Fixtures: a writer with a local chat-completions server, and topics of live mode."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from backend.articles.rules.active_rules import ActiveRules
from backend.language_model.client import LanguageModel
from backend.settings import Settings
from backend.store.database import Database
from backend.topics.generated_texts.writer import Writer
from backend.topics.insights.service import InsightService
from backend.topics.model import Category, Media, Topic, TopicText
from backend.topics.store import topic_store
from tests.support.apps.market_app import Clock
from tests.support.providers.provider_server import ProviderServer

NOW = datetime(2026, 5, 18, 12, tzinfo=UTC)
THEFT = TopicText(
    title="Bybit loses $40 million to hackers",
    summary="Bybit said on 18 May 2026 that hackers took $40 million.",
    bullets=(("The SEC asks for a report.", "About 2.5% of funds are gone."),),
    origin="publisher",
)
JA = {
    "title": "Bybit、ハッカーに4000万ドルを奪われる",
    "subtitle": "",
    "summary": "Bybitは2026年5月18日、ハッカーに4000万ドルを奪われたと述べた。",
    "bullets": [["SECは報告を求めている。", "資金の約2.5％が失われた。"]],
    "names": [],
}
ZH = {
    "title": "Bybit遭黑客盗走4000万美元",
    "subtitle": "",
    "summary": "Bybit称，2026年5月18日黑客盗走4000万美元。",
    "bullets": [["SEC要求提交报告。", "约2.5%的资金已经丢失。"]],
    "names": [],
}


@dataclass
class WriterSetup:
    """One process that words topics; ``again`` is another one on the same store."""

    database: Database
    server: ProviderServer
    clock: Clock
    home: Path
    settings: Settings
    rules: ActiveRules

    def writer(self, **changed: Any) -> Writer:
        settings = self.settings.model_copy(update=changed)
        model = LanguageModel.from_settings(settings, self.database, now=self.clock)
        assert model is not None
        return Writer(settings, self.database, self.rules, model, ("own", "live"), now=self.clock)

    def tick(self, **changed: Any) -> dict[str, int]:
        return dict(self.writer(**changed).write(self.clock()))

    def put(self, text: TopicText = THEFT, *, hours: float = 1, **fields: Any) -> int:
        defaults: dict[str, Any] = {
            "category": Category.NORMAL,
            "published_at": self.clock() - timedelta(hours=hours),
            "url": "https://www.coindesk.com/a",
            "texts": {"en": text},
            "realm": "live",
        }
        with self.database.write() as connection:
            (number,) = topic_store.store_topics(
                connection, [Topic(**{**defaults, **fields})], now=self.clock()
            )
        return number

    def read(self, number: int) -> Topic:
        found = topic_store.load_topic(self.database, number)
        assert found is not None
        return found

    def insight(self, number: int, language: Any = "en") -> dict[str, Any]:
        context = InsightService(self.settings, self.database, self.rules, ("own", "live"), now=self.clock)
        return context.insight(self.read(number), language)


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture
def make_setup(tmp_path: Path, server: ProviderServer) -> Callable[[Database], WriterSetup]:
    def make_setup_on(database: Database) -> WriterSetup:
        settings = Settings(
            mode="live",
            home=tmp_path,
            model_base_url=f"{server.url}/v1",
            model_name="small-1",
            model_price_input=Decimal(1),
            model_price_output=Decimal(4),
            model_daily_ceiling=Decimal(1),
            model_topics=("translations",),
        )
        return WriterSetup(database, server, Clock(NOW), tmp_path, settings, ActiveRules(settings))

    return make_setup_on


@pytest.fixture
def setup(make_setup: Callable[[Database], WriterSetup], sqlite_database: Database) -> WriterSetup:
    return make_setup(sqlite_database)


def build_article(url: str, title: str, site: str) -> Media:
    return Media("article", url, title=title, site_name=site)
