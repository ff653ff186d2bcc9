"""Parties of a topic without a page among its sources."""

import pytest

from backend.articles.engine import RuleSet
from backend.articles.rules import rules_loader
from backend.topics.insights.silent_parties import find_silent_parties
from tests.backend.topics.insights.conftest import Tell


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
        ("Kraken, Coinbase, Circle and BitGo freeze wallets", []),
        ("Senate Democrats ask for new rules", []),
        ("Two Harbor Members Urge Senate to vote on rules", []),
        ("Custody in the SEC era has just begun", []),
        ("SEC approves fund of Quillport", ["U.S. Securities and Exchange Commission"]),
    ],
)
def test_all_parties_that_act_are_named_or_none(
    tell: Tell, rules: RuleSet, title: str, names: list[str]
) -> None:
    report = tell(title=title)
    assert find_silent_parties(title, [report], [report], (), rules, "en") == names


def test_a_party_to_which_the_reports_link_is_not_missed(tell: Tell, rules: RuleSet) -> None:
    report = tell(title="Kraken opens vault")
    assert find_silent_parties(report.title, [report], [report], {"kraken"}, rules, "en") == []
