"""The title of an article in front of a summary that needs it."""

import pytest

from backend.entities.model import Language
from tests.backend.topics.grouping.conftest import Make, list_texts


@pytest.mark.parametrize(
    ("language", "title", "text"),
    [
        (
            "en",
            "Quillport, Harrow ask regulator to ease rules for wallets",
            "The companies urged the regulator to exempt makers of wallets from rules for brokers.",
        ),
        (
            "en",
            "Kestrel counsel to leave at the end of June",
            "The soon-to-be former counsel did not say what comes next but will advise the board.",
        ),
        (
            "en",
            "Quillport says its trading assistant will soon reach savers",
            "More than 40,000 brokers have tried an early version of the product since Quillport showed it.",
        ),
        (
            "ja",
            "ノースウィンド、南港銀行と保管事業で提携",
            "両社は来年4月に顧客の暗号資産を保管する新会社を東京に設ける。",
        ),
        ("zh", "北风交易所与南港银行合作推出托管服务", "两家公司将于明年四月在香港设立托管合资企业。"),
    ],
)
def test_a_lead_that_only_its_title_makes_clear_has_the_title_in_front(
    make: Make, language: Language, title: str, text: str
) -> None:
    clause = f"{title}{'.' if language == 'en' else '。'}"
    assert list_texts(make(title, text=text, language=language), language=language) == [clause, text]


def test_a_title_with_two_parties_does_not_stand_before_a_lead_that_means_one(make: Make) -> None:
    text = "The token issuer froze a wallet that held about $240,000 on Friday."
    more = " Savers had asked for it. Brokers watched from afar."
    assert list_texts(make("Quillport and Harrow freeze wallet of thief", text=text + more))[0] == text
    titled = list_texts(make("Quillport and Harrow freeze wallet of thief", text=text))
    assert titled == ["Quillport and Harrow freeze wallet of thief.", text], "a standfirst lacks the news"
    assert list_texts(make("Quillport freezes wallet of thief", text=text))[-1] == text


@pytest.mark.parametrize(
    ("language", "title", "text"),
    [
        (
            "en",
            "Harrow shares jump 14% as lender opens vault",
            "Harrow said savers welcomed the vault in Riga.",
        ),
        ("en", "Thieves swap Quillport package to take keys", "Quillport said that nobody had loaded it."),
        ("ja", "ハロー、14%高の理由は金庫の開設", "ハローは金庫の開設を発表した。"),
        ("zh", "哈罗股价上涨14%，因开设金库", "哈罗宣布在里加为储户开设金库。"),
    ],
)
def test_a_standfirst_that_leaves_out_the_news_stands_behind_its_title(
    make: Make, language: Language, title: str, text: str
) -> None:
    mark = "." if language == "en" else "。"
    assert list_texts(make(title, text=text, language=language), language=language) == [title + mark, text]


def test_a_standfirst_that_tells_the_news_stands_alone(make: Make) -> None:
    text = "Harrow opens a vault for savers in Riga with $14 million of its own."
    assert list_texts(make("Harrow opens $14 million vault for savers", text=text)) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The agency has asked savers and lenders in three states to say what they think of a rule that wou…",
        "For instance, it lets those lenders keep the coins that they hold.",
    ],
)
def test_the_title_is_the_summary_of_an_article_without_a_sentence_to_quote(make: Make, text: str) -> None:
    assert list_texts(make("Agency asks for comments on the rule", text=text)) == [
        "Agency asks for comments on the rule."
    ]
