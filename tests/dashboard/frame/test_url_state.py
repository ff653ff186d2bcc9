"""A changed URL overrides the session, and the reader's choices are written to the URL."""

from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from dashboard.frame import url_state
from tests.support.dashboard.pages import markdown as shown


def page() -> None:
    import streamlit as st

    from dashboard.frame import url_state

    url_state.restore_last_query()
    span = url_state.bind_choice("span", ("24h", "7d"), "24h")
    st.segmented_control(
        "Span",
        ("24h", "7d"),
        default=span.value,
        **span.widget,
        required=True,
    )
    coin = url_state.read_param("coin", valid=lambda text: text.islower())
    st.markdown(f"{span.value}/{coin}")
    if st.button("Open"):
        url_state.write_param("coin", "ether")
        st.rerun()
    if st.button("Close"):
        url_state.write_param("coin", "")
        st.rerun()
    st.button("7d", on_click=url_state.write_param, args=("span", "7d"))


def read_query(app: AppTest) -> dict[str, Any]:
    return {
        key: values[0] if isinstance(values, list) else values for key, values in app.query_params.items()
    }


def test_without_a_query_the_defaults_apply_and_the_url_stays_clean(app: AppTest) -> None:
    assert shown(app.run()) == "24h/"
    assert read_query(app) == {}


def test_a_link_restores_its_state(app: AppTest) -> None:
    app.query_params.update({"span": "7d", "coin": "bitcoin"})
    assert shown(app.run()) == "7d/bitcoin"


def test_a_choice_is_written_to_the_url_and_a_default_is_removed(app: AppTest) -> None:
    app.run()
    app.segmented_control(key="span").set_value("7d").run()
    assert (shown(app), read_query(app)) == ("7d/", {"span": "7d"})
    app.segmented_control(key="span").set_value("24h").run()
    assert (shown(app), read_query(app)) == ("24h/", {})


def test_back_and_forward_restore_their_state(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    app.run()
    app.segmented_control(key="span").set_value("7d").run()
    get_run_context = url_state._get_run_context
    monkeypatch.setattr(url_state, "_get_run_context", lambda: (get_run_context()[0], True))
    del app.query_params["span"]
    assert shown(app.run()) == "24h/"
    app.query_params["span"] = "7d"
    assert shown(app.run()) == "7d/"


def test_an_action_right_after_another_does_not_undo_it(app: AppTest) -> None:
    """The browser sends the second action before it has received the query that the first one wrote."""
    app.run()
    app.segmented_control(key="span").set_value("7d").run()
    del app.query_params["span"]
    app.button[0].click().run()
    assert (shown(app), read_query(app)) == ("7d/ether", {"span": "7d", "coin": "ether"})
    app.query_params.clear()
    assert shown(app.run()) == "7d/ether"
    app.query_params["span"] = "7d"
    del app.query_params["coin"]
    assert shown(app.run()) == "7d/ether"
    assert read_query(app) == {"span": "7d", "coin": "ether"}


def test_a_query_that_was_never_replaced_is_a_link(app: AppTest) -> None:
    app.run()
    app.segmented_control(key="span").set_value("7d").run()
    app.query_params["coin"] = "bitcoin"
    assert shown(app.run()) == "7d/bitcoin"
    app.query_params.clear()
    assert shown(app.run()) == "24h/"


def test_a_rerun_keeps_the_choice(app: AppTest) -> None:
    app.query_params["coin"] = "bitcoin"
    app.run()
    app.segmented_control(key="span").set_value("7d").run()
    assert shown(app.run()) == "7d/bitcoin"


@pytest.mark.parametrize("learns_query_first", [False, True])
def test_the_old_value_of_a_widget_that_the_page_has_changed_is_not_the_readers_choice(
    app: AppTest, learns_query_first: bool
) -> None:
    """The browser sends the old value until it has received the change, even if it knows the new query."""
    app.run()
    widget = app.segmented_control(key="span")
    browser_values = WidgetStates(widgets=[widget.set_value("24h")._widget_state])
    app.button[2].click().run()
    assert (shown(app), read_query(app)) == ("7d/", {"span": "7d"})
    if not learns_query_first:
        app.query_params.clear()
    app._run(browser_values)
    assert (shown(app), read_query(app)) == ("7d/", {"span": "7d"})
    app.segmented_control[0].set_value("24h").run()
    assert (shown(app), read_query(app)) == ("24h/", {})


def test_an_unknown_code_counts_as_the_default(app: AppTest) -> None:
    app.query_params.update({"span": "時価総額", "coin": "<SCRIPT>"})
    assert shown(app.run()) == "24h/"


def test_write_changes_session_and_url(app: AppTest) -> None:
    app.run()
    app.button[0].click().run()
    assert (shown(app), read_query(app)) == ("24h/ether", {"coin": "ether"})
    app.button[1].click().run()
    assert (shown(app), read_query(app)) == ("24h/", {})


def test_a_run_sends_a_choice_as_the_default_alone(app: AppTest) -> None:
    """A set value would replace what the reader has chosen since the run began."""
    app.query_params["span"] = "7d"
    app.run().run()
    control = app.segmented_control(key="span")
    assert (list(control.proto.default), control.proto.set_value, control.value) == ([1], False, "7d")


@pytest.mark.parametrize(
    ("link", "is_history_navigation", "expected"),
    [({}, False, "7d/bitcoin"), ({"coin": "ether"}, False, "24h/ether"), ({}, True, "24h/")],
)
def test_a_page_that_the_reader_returns_to_has_its_last_query_unless_a_link_or_the_history_says_otherwise(
    app: AppTest,
    monkeypatch: pytest.MonkeyPatch,
    link: dict[str, str],
    is_history_navigation: bool,
    expected: str,
) -> None:
    visits = [("first", False), ("other", False), ("first", is_history_navigation)]
    queries = [{"span": "7d", "coin": "bitcoin", "lang": "ja"}, {}, link]
    shown_pages = []
    for visit, query in zip(visits, queries, strict=True):
        monkeypatch.setattr(url_state, "_get_run_context", lambda visit=visit: visit)
        app.query_params.clear()
        app.query_params.update(query)
        shown_pages.append(shown(app.run()))
    assert shown_pages == ["7d/bitcoin", "24h/", expected]
    assert "lang" not in read_query(app)
