"""What the review is sent, and what its two halves must agree on."""

import re
from typing import Any, get_args

import orjson
import pytest

from backend.articles.model import ViolationType
from dashboard.app_pages.corrections import file_drop, review
from dashboard.app_pages.corrections.edit_history import Desk, Step
from dashboard.app_pages.corrections.findings import Decision
from dashboard.app_pages.corrections.review_texts import field_labels, words
from dashboard.app_pages.corrections.session_state import ACTS
from dashboard.client.articles import RuleSet
from dashboard.components import sortable_table
from dashboard.i18n import LANGUAGES
from tests.support.scans import article, found, scanned

TEXT = article(title="😀 Etherium", content="リップル\n\nEtherium", tags=["x", "Etherium"], language="ja")
SCAN = scanned(
    TEXT,
    found(TEXT, "Etherium", "イーサリアム", rule="typo", language="ja"),
    found(
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
def desk() -> Desk:
    made = Desk()
    made.checked(TEXT, SCAN, "v1")
    return made


def shown(desk: Desk) -> Step:
    assert desk.step is not None
    return desk.step


def body(step: Step, book: RuleSet | None = BOOK, lang: Any = "en") -> dict[str, Any]:
    data = review.article_bytes(step, book, field_labels(lang), words(lang), lang)
    made: dict[str, Any] = orjson.loads(data.split(b"\n", 1)[1])
    return made


def head(desk: Desk, view: str = "text") -> dict[str, Any]:
    step = shown(desk)
    return review.head_of(
        step,
        b"version\n",
        can_undo=desk.can_undo,
        can_redo=desk.can_redo,
        turn=1,
        focus="1",
        message="",
        view={"view": view, "severity": "", "rule": ""},
        labels=field_labels("en"),
    )


def test_offsets_are_code_points_of_the_fields_as_they_are(desk: Desk) -> None:
    sent = body(shown(desk))
    by_path = {field["path"]: field["text"] for field in sent["fields"]}
    for one in sent["findings"]:
        assert by_path[one["field"]][one["start"] : one["end"]] == one["text"]
    assert by_path["title"] == "😀 Etherium"
    assert {field["lang"] for field in sent["fields"]} == {"ja"}


def test_only_the_facts_that_the_findings_need_are_sent(desk: Desk) -> None:
    sent = body(shown(desk))
    assert set(sent["entities"]) == {"ethereum"}
    assert sent["entities"]["ethereum"] == {
        "name": "Ethereum",
        "names": [["en", "Ethereum"], ["ja", "イーサリアム"], ["zh", "以太坊"]],
        "former": ["Old (–2020)", "Older"],
        "site": ["ethereum.org", "https://ethereum.org"],
    }
    assert body(shown(desk), lang="zh")["entities"]["ethereum"]["name"] == "以太坊"
    assert sent["rules"]["typo"]["note"] == "why"
    assert body(shown(desk), lang="ja")["rules"]["typo"]["note"] == "理由"
    assert body(shown(desk), lang="zh")["rules"]["typo"]["note"] == "why", (
        "what is there, where one is missing"
    )
    assert sent["rules"]["ripple"]["note"] is None, "a derived rule's kind says it in the reader's language"


def test_an_ambiguous_name_offers_what_its_rule_names(desk: Desk) -> None:
    choices = {one["text"]: one["choices"] for one in body(shown(desk))["findings"]}
    assert choices == {"Etherium": [], "リップル": ["XRP", "リップル社"]}


def test_without_the_rules_the_findings_are_complete(desk: Desk) -> None:
    sent = body(shown(desk), None)
    assert len(sent["findings"]) == 4
    assert sent["rules"] == sent["entities"] == {}


def test_the_large_part_is_the_same_bytes_whatever_is_decided(desk: Desk) -> None:
    labels, said = field_labels("en"), words("en")
    before = review.article_bytes(shown(desk), BOOK, labels, said, "en")
    desk.keep(shown(desk).number, {0: Decision("approved")}, new=True)
    assert review.article_bytes(shown(desk), BOOK, labels, said, "en") == before
    assert head(desk)["decisions"] == [[0, "approved", None]]
    versions = {
        review.article_bytes(shown(desk), book, labels, words(lang), lang).split(b"\n", 1)[0]
        for lang in LANGUAGES
        for book in (None, BOOK)
    }
    assert len(versions) == 6


def test_the_comparison_is_sent_only_where_it_is_shown(desk: Desk) -> None:
    desk.keep(shown(desk).number, {0: Decision("approved")}, new=True)
    assert head(desk)["compare"] is None
    (title,) = head(desk, "compare")["compare"]["fields"]
    assert title["label"] == "Title"
    assert title["lines"] == [[[("", "😀 "), ("-", "Etherium")], [("", "😀 "), ("+", "イーサリアム")]]]


def test_the_browser_is_sent_every_text_that_it_uses_in_every_language() -> None:
    script = review.script()
    used = set(re.findall(r"\bwords\.(\w+)", script))
    composed = {"errors", "warnings", "infos", "error", "warning", "info", "approved", "ignored"}
    composed |= {"view_text", "view_compare", "kind_safe", "kind_approval", "kind_none"}
    for lang in LANGUAGES:
        sent = words(lang)
        assert used | composed <= set(sent), lang
        for kind in get_args(ViolationType):
            assert sent["types"][kind]
            assert sent["reasons"][kind]


def test_no_text_is_sent_that_the_browser_does_not_use() -> None:
    script = review.script()
    plain = set(re.findall(r"words\.(\w+)", script))
    by_name = {"errors", "warnings", "infos", "error", "warning", "info", "approved", "ignored"}
    by_name |= {"view_text", "view_compare", "kind_safe", "kind_approval", "kind_none"}
    assert set(words("en")) - plain - by_name == set()


def test_both_halves_know_the_same_doings() -> None:
    script = review.script()
    assert set(re.findall(r'\bact\("(\w+)"\)', script)) == set(ACTS)
    assert 'tell("keep")' in script


@pytest.mark.parametrize("part", ["review", "sortable_table", "file_drop"])
def test_no_component_puts_markup_together(part: str) -> None:
    scripts = {
        "review": review.script() + review.script("head"),
        "sortable_table": (sortable_table._ROOM / "sortable_table.js").read_text("utf-8"),
        "file_drop": (file_drop._ROOM / "file_drop.js").read_text("utf-8"),
    }
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in scripts[part]
