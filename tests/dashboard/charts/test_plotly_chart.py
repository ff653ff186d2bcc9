"""The chart component: what the browser is told, and the library that it is given."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import plotly
import pytest
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from dashboard.charts import plotly_chart as component
from dashboard.charts.plotly_chart import library
from tests.dashboard.asgi_client import AsgiClient
from tests.support.browsers import chromium_browser

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


@pytest.fixture
def client() -> AsgiClient:
    return AsgiClient(Starlette(routes=list(library.ROUTES)))


def page(value: "Any") -> None:
    from datetime import datetime

    from dashboard.charts.plotly_chart import Table, chart

    chart(
        {
            "data": [{"type": "bar", "x": [datetime.fromisoformat("2026-05-01T09:30:00")], "y": [value]}],
            "layout": {"uirevision": "a"},
        },
        key="drawing",
        height=240,
        alt="One bar",
        table=Table("Bars", ["Time", "Value"], [["09:30", str(value)]]),
        config={"scrollZoom": True},
    )


def sent(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    app = AppTest.from_function(page, kwargs={"value": value}).run()
    assert not app.exception
    (part,) = app.get("bidi_component")
    about, figure = part.proto.bytes.split(b"\n", 1)
    return orjson.loads(about), orjson.loads(figure)


def test_the_figure_its_words_and_its_table_reach_the_browser() -> None:
    about, figure = sent(2.5)
    assert (about["key"], about["height"], about["alt"]) == ("drawing", 240, "One bar")
    assert about["table"] == {"caption": "Bars", "head": ["Time", "Value"], "rows": [["09:30", "2.5"]]}
    assert about["config"] == {"displayModeBar": False, "scrollZoom": True}
    assert not about["picks"]
    assert figure["data"][0]["x"] == ["2026-05-01T09:30:00"]
    assert figure["layout"] == {"uirevision": "a"}


def test_numbers_of_arrays_are_sent_and_what_is_not_known_is_null() -> None:
    _, figure = sent(np.array([1.5, np.nan], dtype=np.float32))
    assert figure["data"][0]["y"] == [[1.5, None]]


@pytest.mark.browser
def test_a_click_is_told_with_what_the_figure_says_of_the_point_where_it_is_wanted() -> None:
    module = component.script("library", "../folded_table", "chart")
    drawn = """([module, picks]) => new Promise(async (done) => {
      const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
      const view = (await import(address)).default;
      const host = document.createElement("main");
      document.body.append(host);
      const told = [];
      const listeners = {};
      globalThis.Plotly = { react: (plot) => {
        plot.on = (name, call) => { listeners[name] = call; };
        plot.removeAllListeners = (name) => {
          delete listeners[name];
          setTimeout(click);  // once the chart has begun to listen anew, or has not
        };
      } };
      const about = { key: "k", height: 10, alt: "a", table: null, config: {}, picks, words: {} };
      const data = new TextEncoder().encode(JSON.stringify(about) + "\\n" + '{"data":[],"layout":{}}');
      view({ data, parentElement: host, setTriggerValue: (...sent) => told.push(sent) });
      function click() {
        listeners.plotly_click?.({ points: [{ x: "one", y: "two" }] });
        done([Object.keys(listeners), told]);
      }
    })"""
    with chromium_browser() as browser:
        page = browser.new_page()
        picked = [["picked", {"x": "one", "y": "two", "id": None}]]
        assert page.evaluate(drawn, [module, True]) == [["plotly_click"], picked]
        assert page.evaluate(drawn, [module, False]) == [[], []]


def test_only_the_figures_line_changes_with_the_figure_when_no_word_does() -> None:
    first, second = sent(1), sent(2)
    assert first[1] != second[1]
    assert {key for key in first[0] if first[0][key] != second[0][key]} == {"table"}


def test_the_library_is_the_installed_one_compressed_and_kept_for_good(client: AsgiClient) -> None:
    answer = client.get(library.ADDRESS, {"accept-encoding": "gzip, br"})
    assert answer.content == PLOTLY.read_bytes()
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < PLOTLY.stat().st_size / 2
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "Accept-Encoding"


def test_who_reads_no_gzip_gets_the_library_as_it_is(client: AsgiClient) -> None:
    answer = client.get(library.ADDRESS, {"accept-encoding": "identity"})
    assert "content-encoding" not in answer.headers
    assert answer.content == PLOTLY.read_bytes()


def test_who_has_the_library_is_not_sent_it_again(client: AsgiClient) -> None:
    etag = client.get(library.ADDRESS).headers["etag"]
    answer = client.get(library.ADDRESS, {"if-none-match": etag})
    assert (answer.status_code, answer.content) == (304, b"")


def test_the_librarys_address_changes_with_its_content() -> None:
    assert library._digest() in library.ADDRESS
    assert component.script("library").count(library.ADDRESS) == 1


def test_it_is_compressed_once() -> None:
    assert library.compressed() is library.compressed()
    assert gzip.decompress(library.compressed()) == PLOTLY.read_bytes()


@pytest.mark.parametrize("parts", [("library", "../folded_table", "chart"), ("library", "preload")])
def test_the_browsers_part_is_one_module_that_asks_no_other_host_and_parses_no_markup(
    parts: tuple[str, ...],
) -> None:
    script = component.script(*parts)
    assert script.count("export default") == 1
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "http:",
        "https:",
    ):
        assert forbidden not in script
