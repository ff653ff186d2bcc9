"""The chart component: what the browser is told, and the library that it is given."""

import gzip
from pathlib import Path
from typing import Any

import orjson
import plotly
import pytest
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from dashboard.components import chart as component
from dashboard.components.chart import library
from tests.dashboard.asgi_client import AsgiClient

PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


@pytest.fixture
def client() -> AsgiClient:
    return AsgiClient(Starlette(routes=list(library.ROUTES)))


def page(value: float) -> None:
    from datetime import datetime

    from dashboard.components.chart import Table, chart

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


def sent(value: float) -> tuple[dict[str, Any], dict[str, Any]]:
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
    assert figure["data"][0]["x"] == ["2026-05-01T09:30:00"]
    assert figure["layout"] == {"uirevision": "a"}


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


@pytest.mark.parametrize("parts", [("library", "table", "chart"), ("library", "prepare")])
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
