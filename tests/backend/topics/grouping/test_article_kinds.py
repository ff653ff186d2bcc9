"""Articles that report no single event."""

import json
from pathlib import Path

import pytest

from backend.entities.model import Language
from backend.topics.grouping.article_kinds import ArticleKind, find_kind

BENCHMARKS = Path(__file__).parents[4] / "benchmarks" / "data"


@pytest.mark.parametrize(
    ("title", "language", "kind"),
    [
        ("Here is what happened in the markets today: recap", "en", "roundup"),
        ("Best altcoins to buy now as presale opens", "en", "sponsored"),
        ("Opinion: the merger is a mistake", "en", "opinion"),
        ("Northwind price prediction: can bulls hold $12?", "en", "price_commentary"),
        ("The weekly newsletter for custodians", "en", "newsletter"),
        ("What is a validator?", "en", "explainer"),
        ("【PR】新規登録でプレゼント", "ja", "sponsored"),
        ("今週のニュースまとめ", "ja", "roundup"),
        ("イーサリアム価格予想:次の焦点は", "ja", "price_commentary"),
        ("社説:規制の行方", "ja", "opinion"),
        ("ステーキングとは?わかりやすく解説", "ja", "explainer"),
        ("早报 | 三家公司公布财报", "zh", "roundup"),
        ("推广|交易大赛开启", "zh", "sponsored"),
        ("行情分析:关注支撑位", "zh", "price_commentary"),
        ("观点:稳定币的未来", "zh", "opinion"),
        ("一文读懂质押", "zh", "explainer"),
    ],
)
def test_a_title_shows_the_kind(title: str, language: Language, kind: ArticleKind) -> None:
    assert find_kind(title, language) == kind


@pytest.mark.parametrize(
    ("title", "language"),
    [
        ("Northwind Exchange drained of $90M in wallet hack", "en"),
        ("Bitcoin falls below $90,000 as sellers return", "en"),
        ("Presale investors sue Northwind over fraud", "en"),
        ("自民党、税率20%の提言をまとめた", "ja"),
        ("《人民日报》报道央行试点扩大", "zh"),
    ],
)
def test_a_report_of_an_event_has_no_kind(title: str, language: Language) -> None:
    assert find_kind(title, language) is None


def test_the_first_sentences_and_the_section_of_the_site_show_the_kind() -> None:
    assert find_kind("A new way to trade", "en", "This article is sponsored by Northwind.") == "sponsored"
    assert find_kind("A new way to trade", "en", url="https://news.example/opinion/a-new-way") == "opinion"
    assert find_kind("A new way to trade", "en", url="https://news.example/markets/opinion") is None


def test_no_labelled_headline_of_an_event_is_set_aside() -> None:
    lines = [
        json.loads(line)
        for name in ("headlines.jsonl", "headlines_fit.jsonl")
        for line in (BENCHMARKS / name).read_text("utf-8").splitlines()
    ]
    found = {
        line["title"]: find_kind(line["title"], line["language"], line.get("text", ""))
        for line in lines
        if "story" in line
    }
    assert {title for title, kind in found.items() if kind is not None} == set()
