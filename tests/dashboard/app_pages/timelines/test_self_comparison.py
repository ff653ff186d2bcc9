"""A profile compared with itself on the Timelines page, with the real service."""

import re
from datetime import date
from html import unescape
from typing import Any

import orjson
import pytest

from dashboard.i18n import LANGUAGES, t
from tests.support.dashboard import pages
from tests.support.dashboard.pages import find_bound, html, read_url_params
from tests.support.dashboard.timelines_page import open_timelines
from tests.support.runs.served_runs import (
    FALLING,
    FELL_AT,
    PASSES,
    STEADY,
    UNUSED,
)

pytestmark = pytest.mark.usefixtures("dashboard_backend")


def test_where_an_alert_stands_the_page_first_compares_the_profile_with_itself() -> None:
    app = open_timelines(tab="compare")
    assert app.selectbox(key="tl_a").value == FALLING
    assert f"{FALLING} before" in html(app)
    assert re.search(r"class=\"tl-verdict tl-found\"", html(app))
    app.selectbox(key="tl_b").select(STEADY).run()
    assert not app.exception
    assert (read_url_params(app)["a"], read_url_params(app)["b"]) == (FALLING, STEADY)
    assert "before" not in re.findall(r"tl-verdict[^>]*>([^<]*)", html(app))[0]


def test_b_lists_alerts_first_then_the_profiles_in_the_order_of_a_then_other_changes() -> None:
    app = open_timelines(a=FALLING, b=STEADY)
    profiles, options = (find_bound(app.selectbox, name).options for name in ("tl_a", "tl_b"))
    start = options.index(profiles[0])
    assert options[start : start + len(profiles)] == profiles
    assert start >= 1
    assert all("alert" in option for option in options[:start])
    changes = options[start + len(profiles) :]
    assert changes
    assert not any("alert" in option for option in changes)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_day_can_be_chosen_at_which_a_profile_is_compared_with_itself(lang: Any) -> None:
    app = open_timelines(a=STEADY, b=FALLING, lang=lang)
    picker = find_bound(app.selectbox, "tl_b")
    picker.select(picker.options[-1]).run()  # after the profiles, a revision and evaluations
    assert read_url_params(app)["split"].startswith("instant:2026-03-")
    find_bound(app.date_input, "tl_split_date").set_value(date(2026, 3, 9)).run()
    assert not app.exception
    assert read_url_params(app)["split"] == "instant:2026-03-09T00:00:00Z"
    assert STEADY in html(app)
    assert "tl_swap" not in [button.key for button in app.button]


def test_a_link_to_a_change_that_is_not_among_the_runs_says_so() -> None:
    app = open_timelines(a=FALLING, split="evaluation:gone")
    assert t("timelines.cmp_self_gone") in html(app)


@pytest.mark.parametrize("query", [{"b": STEADY}, {"split": "instant:2026-03-15T00:00:00Z"}])
def test_an_opened_case_shows_both_sides_with_their_deductions(query: dict[str, str]) -> None:
    app = open_timelines(a=FALLING, case="case 00", tab="runs", **query)
    assert t("timelines.why") in html(app)
    views = pages.read_live_views(app)
    assert views.count('"tlp-side"') == 2
    assert "It failed." in views
    assert "--with-texts" in views


def test_evaluations_are_listed_with_what_changed_and_open_a_comparison_before_and_since() -> None:
    app = open_timelines(tab="runs", profiles=STEADY)
    (part,) = [
        part
        for part in app.get("bidi_component")
        if part.proto.component_name == "chainproof.sortable_table" and b"r1 " in part.proto.bytes
    ]
    rows = orjson.loads(part.proto.bytes)["rows"]
    assert len(rows) == PASSES
    changed = [cells for _, cells in rows if "r1" in cells[-1][0]]
    assert [cells[2][0] for cells in changed] == [f"{STEADY} {FELL_AT:02}"]
    app = open_timelines(tab="compare", a=STEADY, split=f"evaluation:{STEADY} {FELL_AT:02}")
    assert f"{STEADY} before evaluation {STEADY} {FELL_AT:02}" in html(app)


@pytest.mark.parametrize(
    "split",
    [
        "instant:1990-01-01T00:00:00Z",
        "instant:0001-01-01T00:00:00Z",
        "instant:9999-12-31T23:59:59Z",
        "instant:9999-99-99",
        "alert:2026",
        "revision:\x00",
        "month:3",
        ":",
    ],
)
def test_any_split_in_a_link_opens_the_page(split: str) -> None:
    app = open_timelines(a=STEADY, split=split, tab="compare")
    assert re.search("tl-verdict", html(app))


def test_profiles_that_do_not_exist_are_named() -> None:
    page = unescape(html(open_timelines(profiles=f"{STEADY},gone", a="lost <b>", b=STEADY, lang="ja")))
    assert t("timelines.unknown_profiles", lang="ja", names="gone、lost <b>") in page
    known = html(open_timelines(profiles=f"{STEADY},{UNUSED}"))
    assert "No such profile" not in known
