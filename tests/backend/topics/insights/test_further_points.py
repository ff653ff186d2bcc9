"""Sentences that limit, contradict or complete a piece of news."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.entities.model import Language
from backend.topics.insights.further_points import MAX_POINTS, find_points
from tests.backend.topics.insights.conftest import ReportFactory

TITLE = "Quillport opens vault for bitcoin"
LEAD = "Quillport opened a vault for the bitcoin of its clients on Monday."


def list_points(make_report: ReportFactory, text: str, language: Language = "en", **shown: str) -> list[str]:
    title, summary = shown.get("title", TITLE), shown.get("summary", LEAD)
    report = make_report(f"{summary}\n{text}", title=title, language=language)
    return [point.text for point in find_points([report], language, title, summary)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Bitcoin of clients outside Latvia falls outside the scope of the Quillport vault.",
        "Quillport cannot recover bitcoin that a client sent to the wrong vault.",
        "Quillport needs approval from the central bank before clients may use the vault.",
        "Harrow criticized the vault as a risk for clients of small banks, its head said.",
        "Quillport has since moved 1,200 bitcoin to the vault.",
        "Quillport held 4,100 bitcoin at the end of May, down from 6,300 a year earlier.",
    ],
)
def test_a_limit_an_objection_and_a_comparison_are_points(make_report: ReportFactory, sentence: str) -> None:
    assert list_points(make_report, f"The weather in Riga was fine that week. {sentence}") == [sentence]


JA = ("クイルポート、保管庫を開設", "クイルポートは月曜にビットコインの保管庫を開設した。")
ZH = ("红隼推出比特币保管库", "红隼周一为客户推出比特币保管库。")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ja", "クイルポートは海外の顧客のビットコインを保管庫の対象外とした。"),
        ("ja", "クイルポートの保管庫にあるビットコインは前年から3割減り、4100BTCだった。"),
        ("zh", "红隼的保管库仅面向机构客户，个人的比特币不在服务范围内。"),
        ("zh", "红隼保管库的比特币为4100枚，较去年同期减少三成。"),
    ],
)
def test_points_are_found_in_japanese_and_chinese(
    make_report: ReportFactory, language: Language, sentence: str
) -> None:
    title, summary = JA if language == "ja" else ZH
    assert list_points(make_report, sentence, language, title=title, summary=summary) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Quillport cut its estimate of the bitcoin in the vault to 4,100.",
        "Quillport blamed the delay of the vault on a fault in its own code.",
        "Clients of the Quillport vault have to register again in May.",
        "A court in Riga ordered Quillport to close the vault.",
    ],
)
def test_a_correction_a_cause_a_duty_and_a_decision_are_points(
    make_report: ReportFactory, sentence: str
) -> None:
    assert list_points(make_report, sentence) == [sentence]


@pytest.mark.parametrize(
    ("language", "known", "sentence"),
    [
        ("en", (TITLE, LEAD), "Just 4% of the clients of the vault took part in its vote of May."),
        ("ja", JA, "クイルポートは失われたビットコインの返済を約束した。"),
        ("zh", ZH, "红隼的客户估计，约有6万台旧机器运往里加，这些多数仍在使用。"),
        ("zh", ZH, "红隼的保管库引发客户提取比特币。"),
    ],
)
def test_an_amount_a_promise_and_what_follows_from_the_news_are_points(
    make_report: ReportFactory, language: Language, known: tuple[str, str], sentence: str
) -> None:
    title, summary = known
    assert list_points(make_report, sentence, language, title=title, summary=summary) == [sentence]


def test_a_sentence_stands_behind_the_one_that_it_speaks_of_once(make_report: ReportFactory) -> None:
    text = "Quillport held 4,100 bitcoin in May, down from 6,300. It includes $9 million of its own."
    assert list_points(make_report, text) == [text]


@pytest.mark.parametrize(
    ("shown", "told", "is_point"),
    [
        ("$9 million", "$12 million", True),
        ("20%", "30%", True),
        ("$9 million", "$9m", False),
        ("$1.5 million", "$1,500,000", False),
        ("20%", "20.0%", False),
        ("$9 million", "20%", False),
    ],
)
def test_a_repeated_sentence_is_a_point_only_with_another_figure(
    make_report: ReportFactory, shown: str, told: str, is_point: bool
) -> None:
    summary = f"{LEAD}\nQuillport cannot return {shown} of the bitcoin in its vault."
    first = make_report(LEAD, title=TITLE)
    other = make_report(
        f"Quillport cannot return {told} of the bitcoin in its vault.", title="The losses of Harrow"
    )
    found = find_points([first, other], "en", TITLE, summary)
    assert [point.source for point in found] == [other.source] * is_point


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "The Quillport vault stands beside Bergen Trust, a bank for bitcoin of clients."),
        ("en", "A Shared Key Ceremony opens the vault of Quillport to clients."),
        ("ja", "保管庫のビットコインはクイルポートの「白い鍵」で開く。"),
        ("zh", "红隼的保管库收藏“白钥匙”的比特币。"),
    ],
)
def test_a_sentence_on_the_news_that_names_something_new_is_a_point(
    make_report: ReportFactory, language: Language, sentence: str
) -> None:
    title, lead = {"en": (TITLE, LEAD), "ja": JA, "zh": ZH}[language]
    assert list_points(make_report, sentence, language, title=title, summary=lead) == [sentence]


def test_two_copies_of_a_report_give_each_point_once(make_report: ReportFactory) -> None:
    limit = "Quillport cannot recover bitcoin that a client sent to the wrong vault."
    report = make_report(f"{LEAD}\n{limit}", title=TITLE)
    assert [point.text for point in find_points([report, report], "en", TITLE, LEAD)] == [limit]


def test_background_and_colour_are_no_points(make_report: ReportFactory) -> None:
    text = (
        "Bitcoin is a digital currency that began in 2009. Vaults keep the keys of clients in steel boxes. "
        "Quillport compared the vault to a submarine that never surfaces. Quillport did not sit still."
    )
    assert list_points(make_report, text) == []


@pytest.mark.parametrize(
    ("language", "known", "ceremony", "news"),
    [
        (
            "en",
            (TITLE, LEAD),
            "“The Quillport vault marks a historic milestone for clients,” said Ada Hart of Riga Bank.",
            "“The Quillport vault marks a new chapter for 4,100 clients,” said Ada Hart of Riga Bank.",
        ),
        (
            "ja",
            JA,
            "「クイルポートの保管庫は大きな一歩だ」とリガ銀行のハート氏は述べた。",
            "「クイルポートの保管庫は4100人の顧客に大きな一歩だ」とリガ銀行のハート氏は述べた。",
        ),
        (
            "zh",
            ZH,
            "里加银行表示：“红隼的保管库是比特币的里程碑。”",
            "里加银行表示：“红隼的保管库为4100名客户带来里程碑。”",
        ),
    ],
)
def test_praise_is_a_point_only_with_a_figure(
    make_report: ReportFactory, language: Language, known: tuple[str, str], ceremony: str, news: str
) -> None:
    title, summary = known
    assert list_points(make_report, ceremony, language, title=title, summary=summary) == []
    assert list_points(make_report, news, language, title=title, summary=summary) == [news]


def test_what_the_reader_has_read_is_no_point(make_report: ReportFactory) -> None:
    limit = "Quillport cannot recover bitcoin that a client sent to the wrong vault."
    assert list_points(make_report, limit, summary=f"{LEAD}\n{limit}") == []
    report = make_report(f"{LEAD} {limit}", title=TITLE)
    assert find_points([report], "en", TITLE, LEAD, [limit]) == []


def test_a_pronoun_of_the_only_speaker_is_replaced_by_the_name_in_brackets(
    make_report: ReportFactory,
) -> None:
    text = (
        "Ada Lindqvist, head of Quillport, said the vault opens in stages. "
        "Even so, she cautioned that the vault is unlikely to hold much bitcoin before 2027."
    )
    assert list_points(make_report, text)[-1] == (
        "… [Ada Lindqvist] cautioned that the vault is unlikely to hold much bitcoin before 2027."
    )


@pytest.mark.parametrize(
    "speaker",
    [
        "The SEC said the vault is sound.",
        "Analysts said the vault is sound.",
        "Tom Berg, who met Ida Gray in Riga, said the vault is sound.",
        "Tom Berg said the vault is sound. Clients met in Riga.",
    ],
)
def test_a_pronoun_whose_name_is_uncertain_is_not_replaced(make_report: ReportFactory, speaker: str) -> None:
    text = f"{speaker} She cautioned that the vault is unlikely to hold much bitcoin before 2027."
    assert not any("cautioned" in point for point in list_points(make_report, text))


def test_a_surname_has_the_full_name_and_office_in_brackets(make_report: ReportFactory) -> None:
    text = (
        "Ada Lindqvist, head of the clients’ council, spoke in Riga on Monday. "
        "Lindqvist said the vault carried no insurance for the bitcoin of clients."
    )
    assert list_points(make_report, text) == [
        "[Ada Lindqvist, head of the clients’ council] said the vault carried no insurance for the bitcoin "
        "of clients."
    ]


@pytest.mark.parametrize(
    ("introduction", "expected"),
    [
        ("Ida Gray, who runs the council, met John Gray in Riga.", "Gray"),
        ("Eric Grayson met clients of the vault in Riga.", "Gray"),
        ("On Monday Gray met clients of the vault in Riga.", "Gray"),
        ("Senators Ada Lindqvist, Tom Gray and Ida Moss met in Riga.", "[Tom Gray]"),
        ("In Riga, Tom Gray, Ada Lindqvist and Ida Moss met clients.", "[Tom Gray]"),
    ],
)
def test_a_surname_has_no_uncertain_name_in_brackets(
    make_report: ReportFactory, introduction: str, expected: str
) -> None:
    text = f"{introduction} Gray said the vault carried no insurance for the bitcoin of clients."
    points = [point for point in list_points(make_report, text) if "insurance" in point]
    assert all(point.startswith(f"{expected} said") for point in points)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "But for a guarantee of Latvia, Quillport cannot open the vault for bitcoin."),
        ("en", "Instead of a vault, Quillport cannot offer clients any bitcoin account."),
        ("ja", "ただちにクイルポートがビットコインの保管庫を使えるのは対象外の顧客を除く。"),
        ("zh", "同时期红隼保管库的比特币为4100枚，较去年同期减少三成。"),
    ],
)
def test_a_word_that_only_resembles_a_connective_is_kept(
    make_report: ReportFactory, language: Language, sentence: str
) -> None:
    title, summary = {"en": (TITLE, LEAD), "ja": JA, "zh": ZH}[language]
    points = list_points(make_report, sentence, language, title=title, summary=summary)
    assert [point for point in points if point != sentence] == []


def test_a_sentence_that_needs_the_one_before_it_stands_behind_it_or_is_left_out(
    make_report: ReportFactory,
) -> None:
    text = (
        "Quillport keeps a reserve of bitcoin in Riga. "
        "This reserve cannot be moved within a day without a vote of the clients."
    )
    assert list_points(make_report, text) == [text]
    unclear = "They had met before. This reserve cannot be moved within a day without a vote of the clients."
    assert list_points(make_report, unclear) == []


def test_what_somebody_also_plans_is_left_out_without_what_else_it_plans(make_report: ReportFactory) -> None:
    plan = (
        "Quillport{}plans to open vaults for bitcoin of 1,200 clients in Bergen, against 300 clients in May."
    )
    assert list_points(make_report, f"The rain stopped. {plan.format(' ')}") == [plan.format(" ")]
    assert list_points(make_report, f"The rain stopped. {plan.format(' also ')}") == []


PIECES = st.sampled_from(
    [
        "However, it cannot sell any bitcoin before March.",
        "Critics say the vault is a risk for 1,200 clients.",
        "Quillport held 4,100 bitcoin, down from 6,300.",
        "The vault will not open unless the council votes for it.",
        "Harrow warned that the vault is no bank.",
        "He said nothing about the vault.",
        "Read more…",
        "\n",
    ]
)


@given(st.lists(PIECES, max_size=8).map(" ".join))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_points_are_few_differ_and_stand_word_for_word_in_the_report(
    make_report: ReportFactory, text: str
) -> None:
    report = make_report(f"{LEAD} {text}", title=TITLE)
    points = find_points([report], "en", TITLE, LEAD)
    assert len({point.text for point in points}) == len(points) <= MAX_POINTS
    read = " ".join(report.text.split())
    assert all(point.text.removeprefix("… ") in read for point in points)
