"""Preferences from the cookie, the link and the browser's locale."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.frame.preferences import parse_cookie
from tests.support.dashboard.pages import markdown as shown


def page() -> None:
    import streamlit as st

    from dashboard.frame import preferences

    now = preferences.load()
    st.markdown(f"{now.language}/{now.rise_colours}/{now.refresh}")
    st.text(preferences.build_cookie_value() or "none")
    if st.button("Japanese"):
        preferences.choose("language", "ja")
        st.rerun()
    if st.button("Red"):
        preferences.choose("rise_colours", "red")
        st.rerun()
    if st.button("Yen"):
        preferences.choose("currency", "JPY")
        st.rerun()


def test_without_a_choice_the_defaults_apply_and_no_cookie_is_set(app: AppTest) -> None:
    assert shown(app.run()) == "en/blue/10"
    assert app.text[0].value == "none"


def test_the_language_follows_the_browser_locale(app: AppTest) -> None:
    app.context["locale"] = "ja-JP"
    assert shown(app.run()) == "ja/blue/10"


def test_a_link_sets_the_language_for_the_visit_but_not_the_cookie(app: AppTest) -> None:
    app.query_params["lang"] = "zh"
    assert shown(app.run()) == "zh/blue/10"
    assert app.text[0].value == "none"
    del app.query_params["lang"]  # another page of the same visit
    assert shown(app.run()) == "zh/blue/10"


def test_a_choice_takes_effect_and_is_stored_in_the_cookie(app: AppTest) -> None:
    app.query_params["lang"] = "zh"
    app.run()
    app.button[0].click().run()
    app.button[1].click().run()
    assert shown(app) == "ja/red/10"
    assert app.text[0].value == "lang=ja&colours=red&refresh=10&theme=system"
    assert app.query_params["lang"] in ("ja", ["ja"])


def test_a_chosen_currency_is_stored_with_the_other_choices(app: AppTest) -> None:
    app.run().button[2].click().run()
    assert app.text[0].value == "lang=en&colours=blue&refresh=10&theme=system&currency=JPY"


@pytest.mark.parametrize(
    ("cookie", "codes"),
    [
        ("lang=ja&colours=red&refresh=60", {"lang": "ja", "colours": "red", "refresh": "60"}),
        ("lang=xx&colours=&refresh=1&theme=pink", {}),
        ("theme=dark", {"theme": "dark"}),
        ("currency=JPY", {"currency": "JPY"}),
        ("currency=XXX", {}),
        ("lang=ja;x&other=1", {}),
        ("%%%", {}),
        ("&".join(["lang=ja"] * 50), {"lang": "ja"}),
        ("", {}),
        (None, {}),
    ],
)
def test_only_valid_codes_of_a_cookie_are_used(cookie: str | None, codes: dict[str, str]) -> None:
    assert parse_cookie(cookie) == codes
