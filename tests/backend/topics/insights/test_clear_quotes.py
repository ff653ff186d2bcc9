"""Sentences of a report that are quoted alone."""

import pytest

from backend.entities.model import Language
from backend.topics.feeds.article_sentences import list_sentences
from backend.topics.insights.clear_quotes import make_clear

LEAD = "Quillport opened a vault for the bitcoin of its clients on Monday."


def quote(text: str, shown: str = "") -> str:
    """Quote the last sentence of a report."""
    listed = list_sentences(f"{LEAD} {text}", "en")
    return make_clear(listed, len(listed) - 1, "en", f"{LEAD}\n{shown}", LEAD)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Harrow praised the plan.", "Harrow praised the plan."),
        ("The vault holds 900 bitcoin.", "The vault holds 900 bitcoin."),
        (
            "Orrin counts 40 votes. The difference is two votes that came late.",
            "Orrin counts 40 votes. The difference is two votes that came late.",
        ),
        (
            "Riga holds three old claims. The largest is by Orrin of Malta. A trial on it starts in May.",
            "Riga holds three old claims. The largest is by Orrin of Malta. A trial on it starts in May.",
        ),
        (
            "Orrin says that staking is free. Some reports suggested otherwise.",
            "Orrin says that staking is free. Some reports suggested otherwise.",
        ),
        (
            "If it passes, QIP-12 goes into a lock of two days.",
            "If it passes, QIP-12 goes into a lock of two days.",
        ),
        (
            "“We found a fault,” Ada Lindqvist said. She said that a fix would be out on Friday.",
            "[Ada Lindqvist] said that a fix would be out on Friday.",
        ),
    ],
)
def test_a_sentence_has_what_it_speaks_of(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    "text",
    [
        "Harrow praised the plan. Not everybody agreed with the delay.",
        "Harrow praised the plan. The largest is by Orrin, which wants a part.",
        "“That is no risk at all,” Harrow said. It called the claim an error.",
        "Harrow asked the court for leave to treat them as lost.",
        "Harrow praised the plan. The bank will open a branch in Riga.",
    ],
)
def test_a_sentence_that_lost_what_it_speaks_of_is_not_quoted(text: str) -> None:
    assert quote(text) == ""


def test_a_sentence_is_not_quoted_behind_one_that_the_reader_has_read() -> None:
    former = "Orrin counts 40 votes."
    assert quote(f"{former} The difference is two votes that came late.", shown=former) == ""


def test_a_line_of_the_page_parts_two_sentences() -> None:
    listed = list_sentences(
        f"{LEAD} Harrow sold a stake. Sign up for our newsletter. It fell by a third in May.", "en"
    )
    assert make_clear(listed, len(listed) - 1, "en", LEAD, LEAD) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lindqvist said her client is innocent. He denied any role in the hack.",
        "Ada Lindqvist said that the vault is safe. She denied any role in the hack.",
        "Max Bergman, who ran the vault, is in custody. Ada Lindqvist, his lawyer, said that no coin is left."
        " He said that the coins are gone.",
        "Max Bergman is in custody. Ada Lindqvist said that no coins are left. He said that they are gone.",
        "Harrow Bank said it had hired a new chief executive. He will not start until May.",
        "Harrow Bank said it had hired a new chief executive. He said that fees will fall.",
        "Blue Finch said it will close the vault. She said that fees will fall.",
        "Central Bank said that fees will fall. She added that rates stay.",
        "New York said that fees will fall. She added that rates stay.",
        "Ada Lindqvist said the judge erred. She will rule again in May.",
        "Ada Lindqvist said the judge erred. She said that the trial starts again.",
        "Ada Lindqvist, lawyer of the founder of Orrin, said the vault is safe. He said that it is empty.",
        "Ada Lindqvist said that the vault is safe. He will open it in May.",
        "Ada Lindqvist said that the vault is safe.\nWhat Max Bergman says\nHe said that the coins are gone.",
    ],
)
def test_no_name_stands_for_a_pronoun_that_may_mean_another(text: str) -> None:
    assert quote(text) == ""


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "Ada Lindqvist, chief executive of Quillport, said fees stay. She added that rates may rise.",
            "[Ada Lindqvist] added that rates may rise.",
        ),
        (
            "Clients met with Ada Lindqvist at noon. Lindqvist said that the vault is safe.",
            "[Ada Lindqvist] said that the vault is safe.",
        ),
    ],
)
def test_a_name_stands_for_the_only_person_who_speaks(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    "text",
    [
        "Traders of Wrapped Ether lost money. Ether rose 4% in May.",
        "Envoys of North Korea met in Riga. Korea said that it will vote in May.",
        "The owners of Old Harrow met in Riga. Harrow sold a stake in May.",
        "The owners of Old Harrow met in Riga. Harrow said that it sold a stake.",
        "Exchange Kestrel lost 40 bitcoin. Kestrel said that the vault is safe.",
        "Investors like Galaxy Digital lost money. Digital said that it sold a stake.",
    ],
)
def test_only_a_person_who_speaks_has_a_first_name_in_brackets(text: str) -> None:
    assert "[" not in quote(text)


@pytest.mark.parametrize(
    ("language", "lead", "sentence"),
    [
        ("zh", "交易所北风周一损失约9000万美元。", "该交易所已暂停提款并报警。"),
        ("ja", "取引所ノースウィンドは約9000万ドルが流出したと発表した。", "同取引所は出金を停止した。"),
    ],
)
def test_a_japanese_or_chinese_sentence_is_quoted_behind_one_that_the_reader_has_read(
    language: Language, lead: str, sentence: str
) -> None:
    listed = list_sentences(f"{lead}{sentence}", language)
    assert make_clear(listed, 1, language, lead, lead) == sentence
    assert make_clear(listed, 1, language, "", "") in ("", lead + sentence)


def test_an_office_of_a_later_clause_is_not_put_in_brackets() -> None:
    text = (
        "Julio Barragan, the head of teaching at Harrow, thinks so. Barragan said that fees will fall in May."
    )
    assert quote(text).startswith("[Julio Barragan, the head of teaching at Harrow] said")
    text = "Julio Barragan, the face of a tool that lets a user trade, agrees. Barragan said that fees fall."
    assert "[" not in quote(text)


JA_LEAD = "オリンは月曜に新しい検証機能を公開した。"
ZH_LEAD = "奥林协议周一被盗900枚代币。"


@pytest.mark.parametrize(
    ("language", "lead", "text", "is_quoted"),
    [
        ("ja", JA_LEAD, "同機能では手数料が先に示されるという。", True),
        ("ja", JA_LEAD, "また同機能では手数料が先に示されるという。", True),
        ("ja", JA_LEAD, "同DAOは次の投票を9月に延期するという。", False),
        ("ja", JA_LEAD, "同様の例はケストレルなどでも多いという。", False),
        ("ja", "オリンは月曜に2つの検証機能を公開した。", "同機能では手数料が先に示されるという。", False),
        ("zh", ZH_LEAD, "该协议目前已经暂停全部提款服务。", True),
        ("zh", "两家协议周一共被盗900枚代币。", "该协议目前已经暂停全部提款服务。", False),
    ],
)
def test_a_noun_that_the_reader_knows_stands_for_its_name(
    language: Language, lead: str, text: str, is_quoted: bool
) -> None:
    between = (
        "リガの利用者はオリンを歓迎していると話す。" if language == "ja" else "里加的用户对奥林表示十分欢迎。"
    )
    listed = list_sentences(f"{lead}{between}{text}", language)
    found = make_clear(listed, 2, language, lead, lead)
    assert found.removeprefix("… ") == (text.removeprefix("また") if is_quoted else "") or (
        not is_quoted and found.startswith(between)
    )


@pytest.mark.parametrize(
    ("language", "lead", "rival", "text"),
    [
        (
            "ja",
            JA_LEAD,
            "その後、ケストレルは別の送金機能を公開した。",
            "同機能では手数料が先に示されるという。",
        ),
        ("zh", ZH_LEAD, "此外，红隼协议当天也被盗走90枚代币。", "该协议目前已经暂停全部提款服务。"),
    ],
)
def test_a_noun_that_may_mean_another_thing_does_not_stand_alone(
    language: Language, lead: str, rival: str, text: str
) -> None:
    between = "リガの利用者は歓迎していると話す。" if language == "ja" else "里加的用户表示十分欢迎。"
    listed = list_sentences(f"{lead}{rival}{between}{text}", language)
    assert not make_clear(listed, len(listed) - 1, language, lead, lead).startswith(text)


@pytest.mark.parametrize(
    ("text", "is_quoted"),
    [
        ("The main trader selling the bitcoin is Kestrel of Malta.", True),
        ("The main culprit driving the losses was Kestrel of Malta.", False),
        ("The main reason was that some of them left.", False),
    ],
)
def test_a_sentence_that_names_its_own_subject_is_quoted(text: str, is_quoted: bool) -> None:
    assert (quote(f"Harrow praised the plan. Rain fell in Riga on Monday. {text}") == text) == is_quoted


def test_others_with_names_stand_alone_if_the_reader_has_read_the_sentence_before() -> None:
    others = "Other savers, including Orrin and Kestrel, hold a third of the coins."
    assert quote(f"Harrow holds a half. {others}", shown="Harrow holds a half.") == others
    assert quote(f"Harrow holds a half. {others}") != others
    assert quote("Harrow holds a half. Other savers hold the rest.", shown="Harrow holds a half.") == ""
