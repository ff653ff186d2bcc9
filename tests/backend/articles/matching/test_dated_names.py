"""Former names, judged by the date of the article and of the sentence."""

import pytest

from backend.articles.engine import scan
from backend.articles.matching.rule_set import compile_rules
from backend.articles.schemas import Article
from tests.backend.articles.packs import entity, pack, rule

RULES = compile_rules(
    [
        pack(
            entity("Newname", former=[{"name": "OldName", "until": "2024-09-04"}]),
            entity("Newcoin", former=[{"name": "Oldcoin", "until": "2024-09-04"}]),
            rule(
                ["OLDC"],
                id="ticker",
                entity="newcoin",
                type="former_name",
                suggest="NEWC",
                until="2024-10",
                auto_fix=False,
            ),
        )
    ]
)


def severities(text: str, date: str | None = None, **fields: object) -> list[str]:
    article = Article.model_validate({"content": text, "date": date, **fields})
    return [violation["severity"] for violation in scan(RULES, article)["violations"]]


@pytest.mark.parametrize(
    ("date", "severity"),
    [("2024-09-03", []), ("2024-09-05", ["info"]), ("2024-12-31", ["info"]), ("2025-09-05", ["warning"])],
)
def test_a_former_name_is_right_before_asks_around_and_warns_after_its_change(
    date: str, severity: list[str]
) -> None:
    assert severities("Oldcoin rose.", date) == severity


@pytest.mark.parametrize(
    ("text", "date", "expected"),
    [
        ("Oldcoin rose.", "2025-09-05T10:00:00Z", {"article_date": "2025-09-05"}),
        ("On 5 September 2025 Oldcoin rose.", None, {"article_date": "2025-09-05"}),
        ("Oldcoin rose.", None, {"article_date": None}),
        ("On 5 September 2025 Newcoin rose.", None, {}),
    ],
)
def test_a_scan_tells_the_date_that_former_names_were_judged_by(
    text: str, date: str | None, expected: dict[str, str | None]
) -> None:
    result = scan(RULES, Article(content=text, date=date))
    assert {name: value for name, value in result.items() if name == "article_date"} == expected


def test_without_a_date_a_former_name_asks() -> None:
    assert severities("Oldcoin rose, and OLDC too.") == ["info", "info"]


def test_a_rule_has_a_change_of_its_own() -> None:
    assert severities("OLDC rose.", "2024-09-30") == []
    assert severities("OLDC rose.", "2024-10-02") == ["info"]


@pytest.mark.parametrize(
    "text",
    [
        "In 2020 Oldcoin bought a bank.",
        "The firm sold its Oldcoin in March 2021.",
        "2021年、Oldcoinは急増した。",
        "2018年6月，Oldcoin主网上线。",
        "In August 2024, Oldcoin rose.",
    ],
)
def test_a_sentence_about_an_earlier_year_keeps_the_former_name(text: str) -> None:
    assert severities(text, "2026-01-01") == []


@pytest.mark.parametrize(
    "text",
    [
        "Oldcoin, founded in 2019, bought a bank.",
        "Since 2020 Oldcoin has bought banks.",
        "In 2025 Oldcoin bought a bank.",
        "In 2020 it rose. Oldcoin fell.",
        "Oldcoin sold 2020 coins.",
    ],
)
def test_a_year_that_does_not_date_the_sentence_changes_nothing(text: str) -> None:
    assert severities(text, "2026-01-01") == ["warning"]


def test_the_date_may_stand_in_the_id_or_the_source() -> None:
    assert severities("Oldcoin rose.", id="news-2023-01-05") == []
    assert severities("Oldcoin rose.", source="https://example.org/2023/01/05/oldcoin") == []


@pytest.mark.parametrize("written", ["Oldname", "Old Name", "oldname"])
def test_before_its_change_a_former_name_is_corrected_to_itself(written: str) -> None:
    found = scan(RULES, Article.model_validate({"content": f"{written} rose.", "date": "2020-01-01"}))
    expected = [] if written == "Old Name" else [("OldName", False)]
    assert [(one["suggested_name"], one["auto_fixable"]) for one in found["violations"]] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Oldcoin, as it was known then, rose.",
        "当時のOldcoinは上昇した。",
        "Oldcoin（当時）は上昇した。",
        "当时的Oldcoin上涨。",
    ],
)
def test_a_name_that_the_text_calls_a_former_one_is_right(text: str) -> None:
    assert severities(text, "2026-01-01") == []
