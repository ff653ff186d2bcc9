"""Topics in the real service for the tests of the Topics page."""

from datetime import timedelta
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.i18n import LANGUAGES
from tests.dashboard.conftest import CALM, Backend
from tests.support.dashboard import pages
from tests.support.processes.running import loopback

EVIL = "<script>alert(1)</script>"


def at(**earlier: float) -> str:
    return f"{CALM - timedelta(**earlier):%Y-%m-%dT%H:%M:%SZ}"


def text(title: str, **more: Any) -> dict[str, Any]:
    return {"title": title, **more}


FUND = {
    "external_id": "page:fund",
    "category": 0,
    "published_at": at(hours=2),
    "url": "https://www.sec.gov/newsroom/fund",
    "cover_img": "https://evil.example/pixel.png",
    "total_tweet_score": 50,
    "texts": {
        "en": text(
            f"SEC approves a spot Solana fund {EVIL}",
            subtitle="Trading begins on Monday",
            summary="Long awaited.",
            summary_bullets=[["The order approves a spot ETF."], ["Custody is with Coinbase."]],
            terms_concepts=[{"term": "spot ETF", "definition": 'Holds the asset "itself".'}],
        ),
        "ja": text("SEC、現物ソラナファンドを承認", summary="待望の決定。"),
    },
}
UPGRADE = {
    "external_id": "page:upgrade",
    "category": 1,
    "published_at": at(days=3),
    "url": "https://blog.ethereum.org/upgrade",
    "texts": {lang: text(f"Ethereum upgrade {lang}") for lang in LANGUAGES},
}
MANY = [
    {
        "external_id": f"page:many:{n}",
        "category": 2,
        "published_at": at(days=40 + n),
        "url": f"https://news.example/{n}",
        "texts": {"en": text(f"Ordinary news number {n:02}")},
    }
    for n in range(30)
]
MEDIA = {
    "primary_sources": [
        {"url": "https://www.sec.gov/order", "title": "Order", "summary": "Approved.", "site_name": "SEC"},
        {"url": "https://www.sec.gov/rules/2026-1", "published_at": at(days=9)},
    ],
    "articles": [{"entry_url": "https://news.example/a", "title": f"News {EVIL}"}],
    "tweets": [{"entry_url": "https://x.com/secgov/status/1", "summary": "It is done.", "score": 3}],
}


@pytest.fixture(scope="module")
def ids(served_market: Backend) -> dict[str, str]:
    """The topics of these tests in the service: their ids by external id."""
    key = {"CP-X-API-KEY": served_market.key}
    answer = loopback.post(f"{served_market.url}/topics", json=[FUND, UPGRADE, *MANY], headers=key)
    assert answer.status_code == 201, answer.text
    stored = {topic["external_id"]: str(topic["id"]) for topic in answer.json()["data"]}
    fund = stored["page:fund"]
    assert loopback.post(f"{served_market.url}/topics/{fund}/media", json=MEDIA, headers=key).is_success
    return stored


@pytest.fixture(autouse=True)
def _ready(ids: dict[str, str], dashboard_backend: Backend) -> None:
    """The topics exist before a page loads them."""


def open_topics(**query: str) -> AppTest:
    return pages.open_page("topics", **query)


def click(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app
