"""Figures that are alleged, claimed, estimated or limited stay so."""

import pytest

from backend.entities.model import Language
from backend.topics.insights.figures import find_differences, find_shared_figure
from backend.topics.insights.model import SharedFigure
from tests.backend.topics.insights.conftest import ReportFactory


def share(make_report: ReportFactory, title: str, language: Language = "en", text: str = "") -> SharedFigure:
    """Return the figure of two reports with one title."""
    found = find_shared_figure(
        [make_report(text, title=title, language=language) for _ in range(2)], language
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("language", "title", "measure"),
    [
        ("en", "Riga charges man over the alleged laundering of $290,000", "alleged laundering"),
        ("en", "Riga drops case of alleged $722M fraudster", "alleged fraud case"),
        ("en", "Man accused of laundering $5 million", "alleged laundering"),
        ("en", "Man stole $5 million, prosecutors allege", "alleged stolen funds"),
        ("en", "Hackers stole an estimated $5 million", "estimated stolen funds"),
        ("en", "Quillport claims it raised $5 million", "claimed financing"),
        ("en", "Quillport’s stated ceiling puts its exposure at $64 million", "self-reported exposure"),
        ("en", "Quillport lost $5 million by its own account", "self-reported loss"),
        ("ja", "男を29万ドルの資金洗浄の疑いで起訴", "疑いのある資金洗浄の額"),
        ("ja", "流出額は推定5億円", "推定流出・盗難額"),
        ("ja", "5億円が流出したとされる", "流出・盗難額とされる数値"),
        ("ja", "クイルポート、自己申告の準備金は5億円", "自己申告の保有額"),
        ("zh", "男子涉嫌洗钱29万美元", "涉嫌洗钱金额"),
        ("zh", "紅隼涉嫌洗錢29萬美元", "涉嫌洗钱金额"),
        ("zh", "据估计，黑客盗取500万美元", "估计被盗金额"),
        ("zh", "红隼声称融资500万美元", "据称融资额"),
        ("zh", "红隼自报储备500万美元", "自报持有量"),
    ],
)
def test_the_measure_says_that_a_figure_is_alleged_claimed_or_estimated(
    make_report: ReportFactory, language: Language, title: str, measure: str
) -> None:
    assert share(make_report, title, language).measure == measure


@pytest.mark.parametrize(
    ("language", "title", "measure"),
    [
        ("en", "Alleged ringleader was fined $3M", "fine"),
        ("en", "Man accused of fraud agrees to pay $5 million", "payment"),
        ("en", "Police seize $5 million from alleged leader of fraud", "seized assets"),
        ("en", "Quillport settles claims for $5 million", "settlement"),
        ("en", "Users claimed $5 million in rewards", "reward"),
        ("en", "Quillport raises $5 million after alleged fraud", "financing"),
        ("en", "Quillport estimates losses and raises $5 million", "financing"),
        ("ja", "容疑者に5億円の罰金", "罰金・課徴金"),
        ("ja", "容疑者から5億円を押収", "押収・没収額"),
        ("ja", "5億円の投資が必要とされる", "投資・事業の額"),
        ("zh", "红隼涉嫌欺诈被罚款500万美元", "罚款"),
        ("zh", "男子涉嫌欺诈，红隼融资500万美元", "融资额"),
        ("zh", "红隼估值500万美元", "估值"),
    ],
)
def test_a_qualifier_of_another_thing_is_not_that_of_the_figure(
    make_report: ReportFactory, language: Language, title: str, measure: str
) -> None:
    assert share(make_report, title, language).measure == measure


@pytest.mark.parametrize(
    ("language", "title", "figure"),
    [
        ("en", "Quillport limits its exposure to under $64 million", "under $64 million"),
        ("en", "Quillport offers loans of $5 million or less", "$5 million or less"),
        ("ja", "クイルポートのエクスポージャーは6400万ドル未満", "6400万ドル未満"),
        ("ja", "クイルポート、最大で5億円を融資", "最大で5億円"),
        ("zh", "红隼敞口不到6400万美元", "不到6400万美元"),
        ("zh", "红隼提供至多500万美元贷款", "至多500万美元"),
        ("zh", "红隼提供不超过500万美元的贷款", "不超过500万美元"),
        ("zh", "红隼提供500万美元贷款", "500万美元"),
    ],
)
def test_a_limit_stays_with_its_figure(
    make_report: ReportFactory, language: Language, title: str, figure: str
) -> None:
    assert share(make_report, title, language).text == figure


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Man accused of taking $5 million"),
        ("ja", "男に5億円の疑い"),
        ("zh", "男子涉嫌拿走500万美元"),
    ],
)
def test_an_alleged_figure_of_an_unknown_thing_is_not_told(
    make_report: ReportFactory, language: Language, title: str
) -> None:
    reports = [make_report(title=title, language=language) for _ in range(2)]
    assert find_shared_figure(reports, language) is None


def test_a_later_sentence_qualifies_the_figure_of_the_title(make_report: ReportFactory) -> None:
    alleged = share(
        make_report, "Man in court over $5M laundering", text="He is accused of laundering $5 million."
    )
    assert alleged.measure == "alleged laundering"
    limited = share(
        make_report, "Lender offers $5M loans", text="The lender offers loans of up to $5 million."
    )
    assert limited.text == "up to $5M"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_figures_side_by_side_keep_their_qualifiers(make_report: ReportFactory, language: Language) -> None:
    reports = [
        make_report(title="Man accused of laundering $5M"),
        make_report(title="Laundering of $5M in Riga"),
    ]
    shared = find_shared_figure(reports, language)
    assert shared is not None
    assert shared.measure == {"en": "alleged laundering", "ja": "疑いのある資金洗浄の額"}[language]
    other = make_report(title="Man accused of laundering up to $9M")
    ((_, high),) = find_differences([reports[0], other], "en")
    assert (high.text, high.measure) == ("up to $9M", "alleged laundering")


def test_a_shared_figure_whose_limit_no_text_of_the_reader_s_language_gives_is_not_told(
    make_report: ReportFactory,
) -> None:
    reports = [
        make_report(title="Lender offers loans of up to $5M"),
        make_report(title="Loans of up to $5M offered"),
    ]
    shared = find_shared_figure(reports, "en")
    assert shared is not None
    assert shared.text == "up to $5M"
    assert find_shared_figure(reports, "zh") is None
