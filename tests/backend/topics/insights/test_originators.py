"""Those to whom a report attributes what it tells."""

import pytest

from backend.articles.engine import RuleSet
from backend.articles.rules import rules_loader
from backend.entities.model import Language
from backend.topics.insights.originators import find_originators
from tests.backend.topics.insights.conftest import ReportFactory


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return rules_loader.load_shipped().rules


@pytest.mark.parametrize(
    ("language", "sentence", "name"),
    [
        ("en", "Miners sell more coins than last year, according to Harrow Advisers.", "Harrow Advisers"),
        ("en", "A new report from HarrowData.net calls May the hardest month of miners.", "HarrowData.net"),
        ("en", "A package of the wallet was replaced, Harrow researchers said.", "Harrow"),
        ("ja", "ハロー・リサーチの調査によると、採掘業者の売却が増えている。", "ハロー・リサーチ"),
        ("zh", "据Harrow Labs的报告，矿工今年出售了更多代币。", "Harrow Labs"),
    ],
)
def test_the_origin_of_the_news_is_named(
    make_report: ReportFactory, rules: RuleSet, language: Language, sentence: str, name: str
) -> None:
    assert find_originators(make_report(sentence, language=language), rules) == [name]


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("Harrow sees more sales", "Miners sell more coins, according to Harrow."),
        ("Miners sell more coins: Report", "Miners sell more coins than last year."),
        ("Miners sell more coins", "Miners sell more coins, according to CoinDesk."),
        ("Miners sell more coins", "“It is a hard year for all of them,” said Ansel Grieve."),
    ],
)
def test_actors_outlets_and_commentators_are_no_origin(
    make_report: ReportFactory, rules: RuleSet, title: str, sentence: str
) -> None:
    assert find_originators(make_report(sentence, title=title), rules) == []


def test_a_speaker_whom_the_title_names_is_the_origin(make_report: ReportFactory, rules: RuleSet) -> None:
    report = make_report(
        "“Few coins move,” says Harrow, as markets are calm.", title="Few coins move: Harrow"
    )
    assert find_originators(report, rules) == ["Harrow"]


@pytest.mark.parametrize(
    ("language", "title", "sentence", "name"),
    [
        ("en", "Thieves replace package of Quillport", "Quillport said that nobody lost a key.", "Quillport"),
        (
            "ja",
            "攻撃者、クイルポートのパッケージを差し替え",
            "クイルポートは、鍵の流出はなかったと説明した。",
            "クイルポート",
        ),
        ("zh", "攻击者替换奎尔港的软件包", "奎尔港表示没有用户丢失密钥。", "奎尔港"),
    ],
)
def test_a_party_of_the_title_that_speaks_in_the_lead_is_the_origin(
    make_report: ReportFactory, rules: RuleSet, language: Language, title: str, sentence: str, name: str
) -> None:
    assert find_originators(make_report(sentence, title=title, language=language), rules) == [name]
