"""Denials, missing comments and open questions in reports."""

import pytest

from backend.entities.model import Language
from backend.topics.insights.statements import Kind, find_statements
from tests.backend.topics.insights.conftest import Tell

SENTENCES: list[tuple[Kind, Language, str]] = [
    ("denial", "en", "Bitnode denied wrongdoing."),
    ("denial", "en", "Tether called the report baseless and said it was untrue."),
    ("denial", "ja", "ビットノードは不正を否定した。"),
    ("denial", "zh", "币安否认存在不当行为。"),
    ("denial", "zh", "幣安對此進行闢謠，稱消息不實。"),
    ("no_comment", "en", "A representative for Tether didn't respond to a request for comment."),
    ("no_comment", "ja", "検察はコメントを控えた。"),
    ("no_comment", "zh", "Tether暂未回应置评请求。"),
    ("unknown", "en", "It is not clear how the keys of Northwind were taken."),
    ("unknown", "en", "The exchange has not disclosed how many customers are affected."),
    ("unknown", "ja", "流出の原因は明らかになっていない。"),
    ("unknown", "zh", "目前尚不清楚私钥是如何泄露的。"),
]


@pytest.mark.parametrize(("kind", "language", "sentence"), SENTENCES)
def test_a_statement_is_quoted_word_for_word(
    tell: Tell, kind: Kind, language: Language, sentence: str
) -> None:
    report = tell(sentence, language=language)
    (found,) = find_statements([report], kind, language)
    assert (found.text, found.source) == (sentence, report.source)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("denial", "The judge denied the motion of Northwind to dismiss the case."),
        ("denial", "They denied wrongdoing in the case of Northwind."),
        ("unknown", "It is clear that Northwind will pay its customers."),
        ("no_comment", "Northwind commented on the attack in a blog post."),
    ],
)
def test_other_sentences_are_no_statements(tell: Tell, kind: Kind, sentence: str) -> None:
    assert find_statements([tell(sentence)], kind, "en") == []


def test_each_source_and_each_sentence_is_quoted_once(tell: Tell) -> None:
    text = "Bitnode denied wrongdoing. Bitnode denied any involvement."
    found = find_statements([tell(text), tell("Bitnode denied wrongdoing.")], "denial", "en")
    assert [statement.text for statement in found] == ["Bitnode denied wrongdoing."]
