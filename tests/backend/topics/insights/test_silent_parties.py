"""Parties of a topic without a page among its sources."""

import pytest

from backend.articles.engine import RuleSet
from backend.articles.rules import rules_loader
from backend.entities.model import Language
from backend.topics.insights.silent_parties import find_silent_parties
from tests.backend.topics.insights.conftest import ReportFactory


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return rules_loader.load_shipped().rules


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Kraken and Coinbase freeze wallet of thief", ["Kraken", "Coinbase"]),
        ("Kraken and Quillport freeze wallet of thief", []),
        ("Quillport and Kraken freeze wallet of thief", []),
        ("Kraken and Tether freeze wallet of thief", ["Kraken", "Tether"]),
        ("Tether confirms loss at small bank", ["Tether"]),
        ("Circle, USDC open bridge to vault", ["Circle"]),
        ("Bitcoin miners sell vault", []),
        ("Kraken, Coinbase, Circle and BitGo freeze wallets", []),
        ("Senate Democrats ask for new rules", []),
        ("Two Harbor Members Urge Senate to vote on rules", []),
        ("Ohio council rejects plan for a bond", ["the Ohio council"]),
        ("New York council rejects plan for a bond", ["the New York council"]),
        ("Why Ohio council rejects plan for a bond", []),
        ("Ohio council members travel to Riga", []),
        ("Dutch prosecutors charge trader with theft", ["the Dutch prosecutors"]),
        ("Japan’s government bans the vault", ["Japan’s government"]),
        ("Quillport court filings reveal a loan", []),
        ("US government wallets move bitcoin", []),
        (
            "Kraken wins final SEC approval for fund",
            ["Kraken", "the U.S. Securities and Exchange Commission"],
        ),
        ("Kraken asks SEC to change rules", ["Kraken"]),
        ("Custody in the SEC era has just begun", []),
        ("SEC approves fund of Quillport", ["the U.S. Securities and Exchange Commission"]),
    ],
)
def test_all_parties_that_act_are_named_or_none(
    make_report: ReportFactory, rules: RuleSet, title: str, names: list[str]
) -> None:
    report = make_report(title=title)
    assert find_silent_parties(title, [report], [report], (), rules, "en") == names


@pytest.mark.parametrize(
    ("language", "title", "names"),
    [
        ("zh", "从币安转出900枚比特币的鲸鱼再次出手", []),
        ("zh", "某地址向币安转入900枚比特币", []),
        ("zh", "币安创始人卖出一枚邮票", []),
        ("zh", "币安下架四种代币", ["币安"]),
        ("ja", "バイナンスから900BTCが移動", []),
        ("ja", "バイナンス、4銘柄を上場廃止", ["バイナンス"]),
        ("en", "Kraken founder buys an island", []),
        ("en", "Kraken delists four tokens", ["Kraken"]),
    ],
)
def test_a_place_and_a_founder_are_no_parties(
    make_report: ReportFactory, rules: RuleSet, language: Language, title: str, names: list[str]
) -> None:
    report = make_report(title=title, language=language)
    assert find_silent_parties(title, [report], [report], (), rules, language) == names


def test_a_party_to_which_the_reports_link_is_not_missed(make_report: ReportFactory, rules: RuleSet) -> None:
    report = make_report(title="Kraken opens vault")
    assert find_silent_parties(report.title, [report], [report], {"kraken"}, rules, "en") == []


@pytest.mark.parametrize(
    ("title", "lead", "names"),
    [
        ("Vault opens in Riga", "Quillport, the largest lender of Latvia, opened a vault.", []),
        ("Exchange loses coins", "Hackers drained a wallet in Riga on Monday.", []),
        ("Vault opens in Riga", "Ada Lindqvist, head of the exchange Harrow, opened a vault.", []),
        ("Vault opens in Riga", "Crypto exchange CEO Ada Lindqvist opened a vault.", []),
        ("Why court rejects plan", "The plan failed in Riga on Monday.", []),
        ("Vault opens in Riga", "Ada Lindqvist opened a vault on Monday.", []),
        (
            "Firms curb trades",
            "Many firms, including Kraken and Circle, are curbing trades.",
            ["Kraken", "Circle"],
        ),
        ("Firms curb trades", "Many firms, including Kraken and Harrow, are curbing trades.", []),
        (
            "Licences come first",
            "The review of the SEC is a test for funds, but an SEC review takes long.",
            ["SEC"],
        ),
    ],
)
def test_a_party_that_only_the_lead_names_is_missed(
    make_report: ReportFactory, rules: RuleSet, title: str, lead: str, names: list[str]
) -> None:
    report = make_report(lead, title=title)
    found = find_silent_parties(title, [report], [report], (), rules, "en")
    assert [name.replace("the U.S. Securities and Exchange Commission", "SEC") for name in found] == names
