"""Whose reporting a report relays."""

import pytest

from backend.articles.engine import RuleSet
from backend.articles.rules import rules_loader
from backend.entities.model import Language
from backend.topics.insights.credits import Credits, find_credits
from tests.backend.topics.insights.conftest import ReportFactory


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return rules_loader.load_shipped().rules


@pytest.mark.parametrize(
    ("language", "sentence", "name"),
    [
        ("en", "Kestrel plans to sell its mines, Bloomberg reported on Friday.", "Bloomberg"),
        ("en", "Kestrel plans to sell its mines, according to CoinDesk.", "CoinDesk"),
        ("en", "The vote was 4-1, according to reporting from The Riga Courier.", "The Riga Courier"),
        ("en", "Ada Lindqvist told Harbor Business that Kestrel will sell its mines.", "Harbor Business"),
        ("ja", "ケストレルが鉱山を売却すると、ブルームバーグが19日に報じた。", "ブルームバーグ"),
        ("zh", "据彭博社报道，红隼公司计划出售矿场。", "彭博社"),
        ("zh", "据 Riga Courier 报道，红隼公司计划出售矿场。", "Riga Courier"),
        ("zh", "红隼公司计划出售矿场。（Riga Courier）", "Riga Courier"),
        ("zh", "红隼公司计划出售矿场。（彭博社）", "彭博社"),
        ("zh", "据《里加晚报》报道，红隼公司计划出售矿场。", "里加晚报"),
        ("ja", "ケストレルの鉱山売却は、RigaWireが19日に報じた。", "RigaWire"),
    ],
)
def test_a_credited_outlet_is_named(
    make_report: ReportFactory, rules: RuleSet, language: Language, sentence: str, name: str
) -> None:
    assert find_credits(make_report(sentence, language=language), rules, language) == Credits((name,), True)


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Kestrel to sell its mines: Report"),
        ("ja", "ケストレル、鉱山を売却へ＝報道"),
        ("zh", "据报道，红隼公司计划出售矿场"),
        ("zh", "据媒体报道，红隼公司计划出售矿场"),
    ],
)
def test_a_report_without_a_name_is_relayed(
    make_report: ReportFactory, rules: RuleSet, language: Language, title: str
) -> None:
    assert find_credits(make_report("", title=title, language=language), rules, language) == Credits((), True)


@pytest.mark.parametrize(
    "sentence",
    [
        "Kestrel reported a loss of $3 million for the quarter.",
        "Ada Lindqvist told Judge Marta Ruiz that Kestrel is solvent.",
        "Kestrel will sell its mines, according to people familiar with the matter.",
        "Kestrel must file a compliance report by March 1, 2027, the order says.",
        "(Reporting by Lena Okafor; editing by Jan Brandt.)",
    ],
)
def test_other_sentences_credit_nobody(make_report: ReportFactory, rules: RuleSet, sentence: str) -> None:
    assert find_credits(make_report(sentence), rules, "en") == Credits()


def test_an_outlet_does_not_credit_a_part_of_its_own_name(make_report: ReportFactory, rules: RuleSet) -> None:
    text = "据路透社报道，红隼公司计划出售矿场。"
    own = make_report(text, source="里加路透社 Riga Wire", language="zh")
    other = make_report(text, source="里加日报", language="zh")
    assert (find_credits(own, rules, "zh").names, find_credits(other, rules, "zh").names) == ((), ("路透社",))


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("zh", "据此前报道，红隼公司计划出售矿场。"),
        ("zh", "红隼公司计划出售矿场。（完）"),
        ("zh", "红隼公司计划出售矿场。（附图）"),
        ("zh", "据外媒报道，红隼公司计划出售矿场。"),
        ("zh", "据红隼公司公告，公司计划出售矿场。"),
        ("zh", "据韩媒报道，红隼公司计划出售矿场。"),
        ("zh", "据科技媒体报道，红隼公司计划出售矿场。"),
        ("zh", "根据公司报道，红隼计划出售矿场。"),
        ("ja", "ケストレルが鉱山を売却すると報じられた。"),
        ("ja", "大手メディアが報じた内容によると、鉱山は売却される。"),
        ("ja", "アナリストが報じた内容によると、鉱山は売却される。"),
    ],
)
def test_words_for_reports_in_general_are_no_outlet(
    make_report: ReportFactory, rules: RuleSet, language: Language, sentence: str
) -> None:
    assert find_credits(make_report(sentence, language=language), rules, language).names == ()
