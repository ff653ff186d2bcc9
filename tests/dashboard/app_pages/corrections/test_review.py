"""The messages to the review component, and the names that Python and JavaScript share."""

import re
from typing import Any, get_args

import orjson
import pytest

from backend.articles.model import ViolationType
from dashboard.app_pages.corrections import file_drop, review
from dashboard.app_pages.corrections.edit_history import EditHistory, Step
from dashboard.app_pages.corrections.findings import Decision
from dashboard.app_pages.corrections.review_texts import build_component_texts, build_field_labels
from dashboard.app_pages.corrections.session_state import ACTIONS, SUBJECT_ACTIONS
from dashboard.client.articles import RuleSet
from dashboard.components import sortable_table
from dashboard.i18n import LANGUAGES, Language
from tests.support.articles.scans import article, build_scan_result, build_violations

TEXT = article(title="😀 Etherium", content="リップル\n\nEtherium", tags=["x", "Etherium"], language="ja")
SCAN = build_scan_result(
    TEXT,
    build_violations(TEXT, "Etherium", "イーサリアム", rule="typo", language="ja"),
    build_violations(
        TEXT, "リップル", None, rule="ripple", kind="ambiguous", severity="info", entity=None, language="ja"
    ),
)
BOOK: RuleSet = {
    "version": "v1",
    "entities": [
        {
            "id": "ethereum",
            "type": "asset",
            "names": {"en": "Ethereum", "zh": "以太坊", "ja": "イーサリアム"},
            "former": [{"name": "Old", "until": "2020"}, {"name": "Older", "until": None}],
            "official_domains": ["ethereum.org"],
        },
        {"id": "other", "type": "asset", "names": {"en": "Other"}, "former": [], "official_domains": []},
    ],
    "rules": [
        {
            "id": "typo",
            "type": "forbidden_variant",
            "severity": "error",
            "suggest": "auto",
            "note": "why",
            "notes": {"en": "why", "ja": "理由"},
            "source": "https://example.org",
            "derived": False,
        },
        {
            "id": "ripple",
            "type": "ambiguous",
            "severity": "info",
            "suggest": ["XRP", "リップル社"],
            "note": "not for readers",
            "notes": {},
            "source": None,
            "derived": True,
        },
    ],
}


@pytest.fixture
def history() -> EditHistory:
    decoded = EditHistory()
    decoded.add_checked(TEXT, SCAN, "v1")
    return decoded


def get_step(history: EditHistory) -> Step:
    assert history.step is not None
    return history.step


def read_article(step: Step, book: RuleSet | None = BOOK, lang: Any = "en") -> dict[str, Any]:
    data = review.encode_article(step, book, build_field_labels(lang), build_component_texts(lang), lang)
    decoded: dict[str, Any] = orjson.loads(data.split(b"\n", 1)[1])
    return decoded


def read_head(history: EditHistory, view: str = "text") -> dict[str, Any]:
    step = get_step(history)
    return review.build_state_message(
        step,
        b"version\n",
        can_undo=history.can_undo,
        can_redo=history.can_redo,
        action_count=1,
        focus="1",
        message="",
        view={"view": view, "severity": "", "rule": ""},
        labels=build_field_labels("en"),
    )


def test_offsets_are_code_points_of_the_sent_fields(history: EditHistory) -> None:
    message = read_article(get_step(history))
    by_path = {field["path"]: field["text"] for field in message["fields"]}
    for finding in message["findings"]:
        assert by_path[finding["field"]][finding["start"] : finding["end"]] == finding["text"]
    assert by_path["title"] == "😀 Etherium"
    assert {field["lang"] for field in message["fields"]} == {"ja"}


def test_only_rules_and_entities_of_the_findings_are_sent(history: EditHistory) -> None:
    message = read_article(get_step(history))
    assert set(message["entities"]) == {"ethereum"}
    assert message["entities"]["ethereum"] == {
        "name": "Ethereum",
        "names": [["en", "Ethereum"], ["ja", "イーサリアム"], ["zh", "以太坊"]],
        "former": [["Old", "2020"], ["Older", None]],
        "site": ["ethereum.org", "https://ethereum.org"],
    }
    assert read_article(get_step(history), lang="zh")["entities"]["ethereum"]["name"] == "以太坊"
    assert message["rules"]["typo"]["note"] == "why"
    assert read_article(get_step(history), lang="ja")["rules"]["typo"]["note"] == "理由"
    assert read_article(get_step(history), lang="zh")["rules"]["typo"]["note"] == "why", (
        "what is there, where one is missing"
    )
    assert message["rules"]["ripple"]["note"] is None, (
        "a derived rule's kind says it in the reader's language"
    )


def test_the_reason_of_a_single_finding_is_in_the_readers_language() -> None:
    violations, corrections = build_violations(TEXT, "Etherium", "Ethereum", rule="typo", language="ja")
    reasons: dict[Language, str] = {
        "en": "One letter from Ethereum.",
        "ja": "1文字違いです。",
        "zh": "只差一个字符。",
    }
    violations[0]["reasons"] = reasons
    history = EditHistory()
    history.add_checked(TEXT, build_scan_result(TEXT, (violations, corrections)), "v1")
    for lang in LANGUAGES:
        first, *others = read_article(get_step(history), lang=lang)["findings"]
        assert first["reason"] == reasons[lang]
        assert all(one["reason"] is None for one in others), "the note of the rule says it"


def test_an_ambiguous_name_offers_the_choices_of_its_rule(history: EditHistory) -> None:
    choices = {finding["text"]: finding["choices"] for finding in read_article(get_step(history))["findings"]}
    assert choices == {"Etherium": [], "リップル": ["XRP", "リップル社"]}


def test_findings_are_complete_without_the_rules(history: EditHistory) -> None:
    message = read_article(get_step(history), None)
    assert len(message["findings"]) == 4
    assert message["rules"] == message["entities"] == {}


def test_decisions_do_not_change_the_bytes_of_the_article(history: EditHistory) -> None:
    labels, texts = build_field_labels("en"), build_component_texts("en")
    before = review.encode_article(get_step(history), BOOK, labels, texts, "en")
    history.store_decisions(get_step(history).number, {0: Decision("approved")}, new=True)
    assert review.encode_article(get_step(history), BOOK, labels, texts, "en") == before
    assert read_head(history)["decisions"] == [[0, "approved", None]]
    step = get_step(history)
    versions = {
        review.encode_article(step, book, labels, build_component_texts(lang), lang).split(b"\n", 1)[0]
        for lang in LANGUAGES
        for book in (None, BOOK)
    }
    assert len(versions) == 6


def test_the_comparison_is_sent_only_if_it_is_shown(history: EditHistory) -> None:
    history.store_decisions(get_step(history).number, {0: Decision("approved")}, new=True)
    assert read_head(history)["compare"] is None
    (title,) = read_head(history, "compare")["compare"]["fields"]
    assert title["label"] == "Title"
    assert title["lines"] == [[[("", "😀 "), ("-", "Etherium")], [("", "😀 "), ("+", "イーサリアム")]]]


def test_the_browser_receives_every_text_that_it_uses_in_every_language() -> None:
    script = review.build_script()
    used = set(re.findall(r"\bwords\.(\w+)", script))
    composed = {"errors", "warnings", "infos", "error", "warning", "info", "approved", "ignored"}
    composed |= {"view_text", "view_compare", "kind_safe", "kind_approval", "kind_none"}
    for lang in LANGUAGES:
        texts = build_component_texts(lang)
        assert used | composed <= set(texts), lang
        for kind in get_args(ViolationType):
            assert texts["types"][kind]
            assert texts["reasons"][kind]


def test_the_browser_receives_no_unused_text() -> None:
    script = review.build_script()
    used_words = set(re.findall(r"words\.(\w+)", script))
    by_name = {"errors", "warnings", "infos", "error", "warning", "info", "approved", "ignored"}
    by_name |= {"view_text", "view_compare", "kind_safe", "kind_approval", "kind_none"}
    assert set(build_component_texts("en")) - used_words - by_name == set()


def test_browser_and_dashboard_have_the_same_actions() -> None:
    script = review.build_script()
    assert set(re.findall(r'\bact\("(\w+)"\)', script)) == set(ACTIONS)
    assert set(re.findall(r'\bact\("(\w+)", ', script)) == set(SUBJECT_ACTIONS) - {"date"}, (
        "the date is set by a widget"
    )
    assert 'report("keep")' in script


@pytest.mark.parametrize("part", ["review", "sortable_table", "file_drop"])
def test_no_component_builds_markup(part: str) -> None:
    scripts = {
        "review": review.build_script() + review.build_script("head"),
        "sortable_table": (sortable_table._FOLDER / "sortable_table.js").read_text("utf-8"),
        "file_drop": (file_drop._FOLDER / "file_drop.js").read_text("utf-8"),
    }
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in scripts[part]
