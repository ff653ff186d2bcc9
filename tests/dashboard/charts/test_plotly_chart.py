"""The chart component: its payload and scripts, and the Plotly library."""

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
from tests.support.dashboard.browsers import open_chromium
from tests.support.waiting import LIMIT_SECONDS

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


@pytest.fixture
def client() -> AsgiClient:
    return AsgiClient(Starlette(routes=list(library.ROUTES)))


def page(value: "Any") -> None:
    from datetime import datetime

    from dashboard.charts.plotly_chart import Table, render_chart

    render_chart(
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


def render_payload(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    app = AppTest.from_function(page, kwargs={"value": value}, default_timeout=LIMIT_SECONDS).run()
    assert not app.exception
    (part,) = app.get("bidi_component")
    options, figure = part.proto.bytes.split(b"\n", 1)
    return orjson.loads(options), orjson.loads(figure)


def test_figure_texts_and_table_reach_the_browser() -> None:
    options, figure = render_payload(2.5)
    assert (options["key"], options["height"], options["alt"]) == ("drawing", 240, "One bar")
    assert options["table"] == {"caption": "Bars", "head": ["Time", "Value"], "rows": [["09:30", "2.5"]]}
    assert options["config"] == {"displayModeBar": False, "scrollZoom": True}
    assert not options["picks"]
    assert figure["data"][0]["x"] == ["2026-05-01T09:30:00"]
    assert figure["layout"] == {"uirevision": "a"}


def test_arrays_are_sent_as_numbers_and_nan_as_null() -> None:
    _, figure = render_payload(np.array([1.5, np.nan], dtype=np.float32))
    assert figure["data"][0]["y"] == [[1.5, None]]


@pytest.mark.browser
def test_a_click_reports_the_data_of_its_point_if_the_page_listens() -> None:
    module = component.build_script("library", "../folded_table", "chart")
    drawn = """([module, picks]) => new Promise(async (done) => {
      const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
      const view = (await import(address)).default;
      const host = document.createElement("main");
      document.body.append(host);
      const triggers = [];
      const listeners = {};
      globalThis.Plotly = { react: (plot) => {
        plot.on = (name, call) => { listeners[name] = call; };
        plot.removeAllListeners = (name) => {
          delete listeners[name];
          setTimeout(click);  // after the chart has added its listener, or not
        };
      } };
      const options = { key: "k", height: 10, alt: "a", table: null, config: {}, picks, words: {} };
      const data = new TextEncoder().encode(JSON.stringify(options) + "\\n" + '{"data":[],"layout":{}}');
      view({ data, parentElement: host, setTriggerValue: (...sent) => triggers.push(sent) });
      function click() {
        listeners.plotly_click?.({ points: [{ x: "one", y: "two" }] });
        done([Object.keys(listeners), triggers]);
      }
    })"""
    with open_chromium() as browser:
        page = browser.new_page()
        picked = [["picked", {"x": "one", "y": "two", "id": None}]]
        assert page.evaluate(drawn, [module, True]) == [["plotly_click"], picked]
        assert page.evaluate(drawn, [module, False]) == [[], []]


def test_a_new_figure_changes_only_the_figure_and_the_table() -> None:
    first, second = render_payload(1), render_payload(2)
    assert first[1] != second[1]
    assert {key for key in first[0] if first[0][key] != second[0][key]} == {"table"}


def test_the_library_is_the_installed_file_compressed_and_cached_forever(client: AsgiClient) -> None:
    answer = client.get(library.LIBRARY_URL, {"accept-encoding": "gzip, br"})
    assert answer.content == PLOTLY.read_bytes()
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < PLOTLY.stat().st_size / 2
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "Accept-Encoding"


def test_a_client_without_gzip_gets_the_uncompressed_library(client: AsgiClient) -> None:
    answer = client.get(library.LIBRARY_URL, {"accept-encoding": "identity"})
    assert "content-encoding" not in answer.headers
    assert answer.content == PLOTLY.read_bytes()


def test_a_cached_library_is_not_sent_again(client: AsgiClient) -> None:
    etag = client.get(library.LIBRARY_URL).headers["etag"]
    answer = client.get(library.LIBRARY_URL, {"if-none-match": etag})
    assert (answer.status_code, answer.content) == (304, b"")


def test_the_url_of_the_library_contains_the_digest_of_its_content() -> None:
    assert library._compute_digest() in library.LIBRARY_URL
    assert component.build_script("library").count(library.LIBRARY_URL) == 1


def test_the_library_is_compressed_once() -> None:
    assert library.compress_library() is library.compress_library()
    assert gzip.decompress(library.compress_library()) == PLOTLY.read_bytes()


@pytest.mark.parametrize("parts", [("library", "../folded_table", "chart"), ("library", "preload")])
def test_the_script_is_one_module_that_contacts_no_host_and_parses_no_markup(
    parts: tuple[str, ...],
) -> None:
    script = component.build_script(*parts)
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
