"""The date and the accepted names of an article on the Corrections page, and the reasons of its findings."""

import json
from datetime import date
from typing import Any

import pytest

from dashboard.app_pages.corrections import article_files, session_state
from dashboard.app_pages.corrections.article_dates import find_date
from dashboard.app_pages.corrections.edit_history import Step
from dashboard.app_pages.corrections.findings import build_findings
from dashboard.app_pages.corrections.session_state import EditorState
from dashboard.app_pages.corrections.visible_name import build_visible_name
from dashboard.client import articles
from dashboard.i18n import LANGUAGES, t
from tests.support.articles.scans import article
from tests.support.dashboard.corrections_page import check_text, open_corrections, read_review
from tests.support.dashboard.pages import find_bound, html
from tests.support.dashboard.transport import CuttableTransport

FORMER = "MicroStrategy bought bitcoin."
MIXED = (
    "Strategy (MSTR) bought bitcoin. Strategy said so. MicroStrategy holds bitcoin, and Strategy buys more."
)
pytestmark = pytest.mark.usefixtures("dashboard_backend")


def get_step(editor: EditorState) -> Step:
    assert editor.history.step is not None
    return editor.history.step


def check(editor: EditorState, **fields: Any) -> Step:
    session_state.check_article(article(**fields), persist=False)
    return get_step(editor)


def list_texts(step: Step) -> list[str]:
    return [finding.text for finding in step.findings]


# --- reasons


@pytest.mark.parametrize(
    ("lang", "reason"),
    [
        ("en", "One letter from Polkadot."),
        ("ja", "「Polkadot」と1文字違いです。"),
        ("zh", "与“Polkadot”只差一个字符。"),
    ],
)
def test_a_slip_that_no_rule_lists_says_why_in_the_readers_language(lang: str, reason: str) -> None:
    article = read_review(check_text("昨日、Polkadptは上昇した。ビットコインも上昇した。", lang=lang)).article
    (finding,) = article["findings"]
    assert (finding["rule"], finding["suggestion"]) == ("unlisted-slip", "Polkadot")
    assert finding["reason"] == reason


def test_a_mixed_name_has_the_counts_and_places_of_both_forms() -> None:
    article = read_review(check_text(MIXED)).article
    (finding,) = article["findings"]
    assert "“Strategy” 3 times and “MicroStrategy” once" in finding["reason"]
    forms = article["mixed"][finding["mixed"]]
    assert [(form["text"], len(form["places"])) for form in forms] == [("Strategy", 3), ("MicroStrategy", 1)]
    for form in forms:
        for field, start, end, number in form["places"]:
            assert field == "content"
            assert MIXED[start:end] == form["text"]
            assert number == (0 if form["text"] == "MicroStrategy" else None)


# --- date


@pytest.mark.parametrize(
    ("day", "severities"), [(None, ["info"]), (date(2024, 5, 1), []), (date(2027, 3, 3), ["warning"])]
)
def test_the_date_of_the_form_judges_former_names(day: date | None, severities: list[str]) -> None:
    app = open_corrections()
    app.text_area(key="cr_content").set_value(FORMER)
    app.date_input(key="cr_date").set_value(day)
    app.button(key="cr_check").click().run()
    assert not app.exception
    assert [finding["severity"] for finding in read_review(app).article["findings"]] == severities
    judged_by = day.isoformat() if day else ""
    origin = "field" if day else "unknown"
    assert read_review(app).article["date"] == {"day": judged_by, "origin": origin}
    assert app.date_input(key="cr_review_date").value == day


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_date_that_was_found_is_shown_with_its_origin(lang: Any) -> None:
    app = check_text("On 3 March 2027 MicroStrategy bought bitcoin.", lang=lang)
    origin = t("corrections.origin_text", lang=lang)
    assert t("corrections.date_from", lang=lang, date="2027-03-03", origin=origin) in html(app)
    assert find_bound(app.date_input, "cr_review_date").value == date(2027, 3, 3)


@pytest.mark.parametrize(
    ("name", "text", "day", "origin"),
    [
        ("2024-05-06-flows.md", "It rose on 2025-01-01.", "2024-05-06", "file_name"),
        ("flows.md", "---\ndate: 2024-05-06\n---\nIt rose.", "2024-05-06", "front_matter"),
        ("flows.md", "It rose on 2025-01-01.", "2025-01-01", "text"),
        ("flows.md", "It rose.", "", "unknown"),
        ("2024.json", '{"id": "2023-02-01", "content": "It rose."}', "2023-02-01", "id"),
        ("2024.json", '{"content": "It rose.", "pubDate": "2023-02-01"}', "2023-02-01", "field"),
    ],
)
def test_the_origin_of_a_date_is_known_for_every_file(name: str, text: str, day: str, origin: str) -> None:
    file = article_files.parse_file(name, text.encode())
    found = find_date(file.articles[0], file)
    assert (found.iso, found.origin) == (day, origin)


def test_a_date_that_is_set_in_the_review_judges_at_once_and_can_be_undone() -> None:
    app = check_text(FORMER)
    assert [finding["severity"] for finding in read_review(app).article["findings"]] == ["info"]
    app.date_input(key="cr_review_date").set_value(date(2027, 3, 3)).run()
    assert [finding["severity"] for finding in read_review(app).article["findings"]] == ["warning"]
    editor: EditorState = app.session_state["corrections_editor"]
    assert get_step(editor).article["date"] == "2027-03-03"
    editor.history.undo()
    app.run()
    changed = find_bound(app.date_input, "cr_review_date")
    assert changed.value is None
    assert changed.key != "cr_review_date", "a new widget, because the page changed it"


def test_the_table_of_a_batch_has_each_date_and_a_changed_date_is_downloaded() -> None:
    lines = '{"content": "It rose.", "own": 1}\n{"content": "It fell on 2025-01-01.", "date": "2024-05-06"}\n'
    file = article_files.parse_pasted(lines)
    dates = [find_date(each) for each in file.articles]
    assert [(found.iso, found.origin) for found in dates] == [("", "unknown"), ("2024-05-06", "field")]
    first, second = file.articles
    written = article_files.to_json_lines([{**first, "date": "2027-03-03"}, second], file).decode()
    assert written == (
        '{"content": "It rose.", "own": 1, "date": "2027-03-03"}\n'
        '{"content": "It fell on 2025-01-01.", "date": "2024-05-06"}\n'
    )


def test_the_date_stays_while_the_text_is_edited_and_can_be_cleared(editor: EditorState) -> None:
    check(editor, content=FORMER, date="2027-03-03")
    session_state.run_action("edit")
    assert editor.draft["date"] == "2027-03-03"
    cleared = check(editor, content=FORMER)
    assert [finding.severity for finding in cleared.findings] == ["info"]
    session_state.run_action("undo")
    assert [finding.severity for finding in get_step(editor).findings] == ["warning"]


def test_articles_of_a_batch_have_dates_and_accepted_names_of_their_own() -> None:
    lines = [
        {"content": FORMER, "date": "2024-05-01"},
        {"content": FORMER, "published_at": "2027-03-03T10:00:00Z"},
        {"content": FORMER, "accept": ["MicroStrategy"]},
    ]
    file = article_files.parse_pasted("\n".join(map(json.dumps, lines)))
    response = articles.scan(file.articles, persist=False)
    severities = [[finding.severity for finding in build_findings(scan)] for scan in response.data or ()]
    assert severities == [[], ["warning"], []]


# --- accepted names


def test_an_accepted_name_is_no_longer_reported_or_corrected(editor: EditorState) -> None:
    check(editor, content="Etherium rose. Etherium fell, and Solanna too.")
    session_state.run_action("accept", "Etherium")
    assert list_texts(get_step(editor)) == ["Solanna"]
    assert editor.message == t("corrections.did_accept", name="Etherium", left=1)
    session_state.run_action("safe")
    assert get_step(editor).article["content"] == "Etherium rose. Etherium fell, and Solana too."
    assert editor.draft["accept"] == ["Etherium"]


def test_a_removed_name_is_reported_again_and_undo_restores_it(editor: EditorState) -> None:
    check(editor, content="Etherium rose.")
    session_state.run_action("accept", "Etherium")
    session_state.run_action("unaccept", "Etherium")
    assert list_texts(get_step(editor)) == ["Etherium"]
    session_state.run_action("undo")
    assert get_step(editor).article["accept"] == ["Etherium"]
    session_state.run_action("undo")
    assert list_texts(get_step(editor)) == ["Etherium"]
    assert get_step(editor).article["accept"] == []


def test_decisions_on_other_findings_stay_when_a_name_is_accepted(editor: EditorState) -> None:
    step = check(editor, content="Etherium rose. Solanna fell.")
    session_state.store_decisions(
        {"step": step.number, "decisions": [[1, "approved", None]], "new": True},
    )
    session_state.run_action("accept", "Etherium")
    assert {number: decision.status for number, decision in get_step(editor).decisions.items()} == {
        0: "approved"
    }


def test_accepted_names_stay_while_the_text_is_edited_but_not_for_a_new_article() -> None:
    app = check_text("Etherium rose.")
    app.session_state["corrections_editor"].history.step.article["accept"].append("Etherium")
    app.run()
    assert read_review(app).article["accepted"] == ["Etherium"]
    app.button(key="cr_new").click().run()
    app.text_area(key="cr_content").set_value("Etherium fell.")
    app.button(key="cr_check").click().run()
    assert read_review(app).article["accepted"] == []
    assert len(read_review(app).article["findings"]) == 1


@pytest.mark.parametrize(
    "content",
    [
        "Ether**ium** rose.",
        "Ether<b>ium</b> rose.",
        "Ether[ium](https://example.org) rose.",
        "Vitalik\nButeryn and bitcoin.",
        "Ethe&shy;rium rose.",
        "昨天，以太访上涨。",
        "スマートコントラトとビットコイン。",
        "Huobi listed bitcoin in March 2027.",
        MIXED,
    ],
)
def test_accepting_the_name_of_a_finding_settles_it_whatever_markup_it_has(
    editor: EditorState, content: str
) -> None:
    (finding,) = check(editor, content=content).findings
    session_state.run_action("accept", build_visible_name(finding.text))
    assert list_texts(get_step(editor)) == []


def test_an_unavailable_service_accepts_nothing_and_can_be_retried(
    editor: EditorState, transport: CuttableTransport
) -> None:
    check(editor, content="Etherium rose.")
    transport.is_cut = True
    session_state.run_action("accept", "Etherium")
    assert editor.problem is not None
    assert editor.retry_action == ("accept", "Etherium")
    assert list_texts(get_step(editor)) == ["Etherium"]
    transport.is_cut = False
    session_state.run_action(*editor.retry_action)
    assert list_texts(get_step(editor)) == []


@pytest.mark.parametrize("name", ["", "x" * 201])
def test_an_invalid_name_of_the_browser_is_not_accepted(editor: EditorState, name: str) -> None:
    before = check(editor, content="Etherium rose.")
    session_state.run_action("accept", name)
    assert get_step(editor) is before


# --- downloads


def test_a_date_is_written_to_files_once() -> None:
    file = article_files.parse_pasted('{"content": "A", "published_at": "2027-03-03"}')
    (parsed,) = file.articles
    assert parsed["date"] == "2027-03-03"
    assert "date" not in json.loads(article_files.to_json(parsed, file.objects[0]))
    changed = article_files.to_json({**parsed, "date": "2027-03-04"}, file.objects[0])
    assert json.loads(changed)["date"] == "2027-03-04"
    assert article_files.to_markdown(article(content="C", date="2027-03-03")).decode() == (
        '---\ndate: "2027-03-03"\n---\n\nC'
    )
