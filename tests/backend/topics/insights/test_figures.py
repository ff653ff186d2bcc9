"""Figures of a topic's sources, side by side."""

import pytest

from backend.entities.model import Language
from backend.topics.insights.figures import find_differences, find_shared_figure, is_figure_shown
from tests.backend.topics.insights.conftest import ReportFactory

RAISE_10 = "Tether is in talks to raise as much as $10 billion at a valuation of about $400 billion."
RAISE_15 = "Tether seeks to raise as much as $15 billion. The issuer would be valued at about $500 billion."


def test_each_figure_is_compared_with_the_one_for_the_same_thing(make_report: ReportFactory) -> None:
    groups = find_differences([make_report(RAISE_10), make_report(RAISE_15)], "en")
    assert {tuple(figure.text for figure in group) for group in groups} == {
        ("as much as $10 billion", "as much as $15 billion"),
        ("$400 billion", "$500 billion"),
    }


def test_figures_of_other_things_do_not_differ(make_report: ReportFactory) -> None:
    hack = make_report("Hackers stole $40 million from Northwind.")
    volume = make_report("Northwind, with a yearly turnover of $9 billion, has been attacked.")
    assert find_differences([hack, volume], "en") == []


def test_rounded_figures_are_equal(make_report: ReportFactory) -> None:
    reports = [
        make_report(title="Northwind loses $84M"),
        make_report(title="Northwind loses about $82 million"),
    ]
    assert find_differences(reports, "en") == []
    shared = find_shared_figure(reports, "en")
    assert shared is not None
    assert (shared.text, len(shared.sources)) == ("$84M", 2)


def test_figures_are_compared_across_languages(make_report: ReportFactory) -> None:
    chinese = make_report(title="北风交易所被盗9100万美元", language="zh")
    ((low, high),) = find_differences([make_report(title="Northwind loses $84M"), chinese], "en")
    assert (low.text, high.text) == ("$84M", "$91 million")


def test_a_figure_of_another_language_is_written_as_the_reader_does(make_report: ReportFactory) -> None:
    reports = [
        make_report(title="Northwind fined £6.1mn"),
        make_report(title="北风交易所被罚款910万英镑", language="zh"),
    ]
    ((_, high),) = find_differences(reports, "ja")
    assert high.text == "910万ポンド"


def test_sources_with_one_figure_stand_together_in_the_notation_of_the_reader(
    make_report: ReportFactory,
) -> None:
    reports = [
        make_report(title="北风交易所被盗9100万美元", language="zh", source="Odaily"),
        make_report(title="Northwind loses $84M", source="CoinDesk"),
        make_report(title="Northwind loses $91 million", source="The Block"),
    ]
    ((low, high),) = find_differences(reports, "en")
    assert (low.text, low.source) == ("$84M", "CoinDesk")
    assert (high.text, high.source) == ("$91 million", "Odaily and The Block")
    assert find_shared_figure(reports, "en") is None


def test_one_source_differs_from_none(make_report: ReportFactory) -> None:
    same = [
        make_report(title="Hack costs $40 million", source="A"),
        make_report(title="Hack costs $90 million", source="A"),
    ]
    assert find_differences(same, "en") == []
    assert find_shared_figure(same, "en") is None


@pytest.mark.parametrize(
    ("figure", "shown", "language", "is_shown"),
    [
        ("$100 million", "Council rejects $100M bond", "en", True),
        ("up to $5M", "Lender offers loans of $5 million", "en", True),
        ("$100 million", "Council rejects $10 million bond", "en", False),
        ("500万美元", "红隼融资5百万美元", "zh", True),
        ("5億円", "5万円が流出", "ja", False),
    ],
)
def test_a_figure_that_the_reader_has_read_is_found_in_any_notation(
    figure: str, shown: str, language: Language, *, is_shown: bool
) -> None:
    assert is_figure_shown(figure, shown, language) is is_shown


def test_an_ordinal_is_no_figure_that_sources_share(make_report: ReportFactory) -> None:
    reports = [
        make_report(title="Coin passes its fourth halving"),
        make_report(title="The fourth halving is done"),
    ]
    assert find_shared_figure(reports, "en") is None
    chinese = [
        make_report(title="第四次减半完成", language="zh"),
        make_report(title="４回目の半減期が完了", language="ja"),
    ]
    assert find_shared_figure(chinese, "ja") is None


@pytest.mark.parametrize(
    ("language", "title", "measure"),
    [
        ("en", "Lender offers loans of up to $6.2M", "loan or debt"),
        ("en", "Quillport seeks $3.5B debt raise for plant", "loan or debt"),
        ("en", "Quillport raises $40M", "financing"),
        ("en", "Quillport raises alarm over $40M hack", "stolen funds"),
        ("en", "Quillport fined $9M for laundering", "fine"),
        ("en", "Riga charges man over laundering of $290,000", "laundering"),
        ("en", "Quillport backs $100,000 target for bitcoin", "price target or forecast"),
        ("en", "Quillport buys 500 BTC for $50 million", "purchase"),
        ("en", "Bitcoin funds see $300M in outflows", "outflow"),
        ("en", "Quillport posts net loss of $50 million", "net loss"),
        ("en", "Quillport tells of $50 million and more", ""),
        ("en", "Quillport names $50 million of its customers", ""),
        ("en", "Quillport upsizes IPO to $1.05B, prices above range", "public offering"),
        ("en", "Quillport agrees to pay $45 million", "payment"),
        ("ja", "クイルポートのブリッジから約1億ドル相当が流出", "流出・盗難額"),
        ("ja", "顧客資産の不足は約1億ドル", ""),
        ("ja", "クイルポートが5000万ドルを調達", "資金調達額"),
        ("ja", "クイルポートから5000万ドル相当のETHが流出", "流出・盗難額"),
        ("ja", "ビットコインETF、3億ドルの資金流出", "資金流出額"),
        ("ja", "クイルポートに900万ドルの罰金", "罰金・課徴金"),
        ("ja", "クイルポート、5000万ドルと説明", ""),
        ("zh", "红隼完成5000万美元融资", "融资额"),
        ("zh", "紅隼交易所被盜9100万美元", "被盗金额"),
        ("zh", "比特币ETF净流出3亿美元", "流出额"),
        ("zh", "红隼称为5000万美元", ""),
    ],
)
def test_the_nearest_word_says_what_a_figure_measures(
    make_report: ReportFactory, language: Language, title: str, measure: str
) -> None:
    figure = find_shared_figure([make_report(title=title, language=language) for _ in range(2)], language)
    assert figure is not None
    assert figure.measure == measure


def test_a_word_of_another_figure_does_not_say_what_a_figure_measures(make_report: ReportFactory) -> None:
    reports = [make_report(title="Quillport names $3M next to a valuation of $30M") for _ in range(2)]
    figure = find_shared_figure(reports, "en")
    assert figure is not None
    assert (figure.text, figure.measure) == ("$3M", "")


@pytest.mark.parametrize(
    ("language", "measure"), [("en", "stolen funds"), ("ja", "流出・盗難額"), ("zh", "被盗金额")]
)
def test_figures_side_by_side_say_what_they_measure_in_the_language_of_the_reader(
    make_report: ReportFactory, language: Language, measure: str
) -> None:
    chinese = make_report(title="北风交易所被盗9100万美元", language="zh")
    ((low, high),) = find_differences(
        [make_report(title="Hackers stole $84M from Northwind"), chinese], language
    )
    assert (low.measure, high.measure) == (measure, measure)
    shared = find_shared_figure(
        [make_report(title="Hack of $84M"), make_report(title="Hackers steal $84M")], language
    )
    assert shared is not None
    assert shared.measure == measure


def test_figures_of_which_the_texts_say_different_things_have_no_measure(make_report: ReportFactory) -> None:
    reports = [
        make_report(title="Quillport fined $84M"),
        make_report(title="Quillport agrees to $84M settlement"),
    ]
    shared = find_shared_figure(reports, "en")
    assert shared is not None
    assert shared.measure == ""
