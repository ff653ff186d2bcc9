"""The tree that the formatted view of an article is built from."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.app_pages.corrections import review
from dashboard.app_pages.corrections.markdown_tree import build_tree


def list_nodes(nodes: list[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        if not isinstance(node, str):
            yield from list_nodes(node[2])


def test_markdown_becomes_elements() -> None:
    assert build_tree("# A *b*\n\n- c\n- `d`\n\n> e\n\n---\n") == [
        ["h1", None, ["A ", ["em", None, ["b"]]]],
        ["ul", None, [["li", None, ["c"]], ["li", None, [["code", None, ["d"]]]]]],
        ["blockquote", None, [["p", None, ["e"]]]],
        ["hr", None, []],
    ]


def test_the_lines_of_a_paragraph_stay_lines() -> None:
    assert build_tree("イーサ\nリアム") == [["p", None, ["イーサ", ["br", None, []], "リアム"]]]


def test_front_matter_is_left_out() -> None:
    assert build_tree("---\ntitle: x\n---\nText") == [["p", None, ["Text"]]]
    assert build_tree("---\nText") == [["hr", None, []], ["p", None, ["Text"]]]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div>\n\n**b**\n\n</div>",
        "[a](javascript:alert(1))",
        "[a](data:text/html;base64,eA==)",
        "[a](/relative)",
        "![a](https://example.org/tracker.png)",
        "[![a](https://example.org/x.png)](https://example.org)",
        "[a]\n\n[a]: javascript:alert(1)",
        ">" * 5000 + " deep",
    ],
)
def test_nothing_of_the_text_runs_or_loads(text: str) -> None:
    for node in list_nodes(build_tree(text)):
        if isinstance(node, str):
            continue
        name, address, _ = node
        assert name not in ("script", "div")
        assert address is None or address.startswith("https://example.org")
        assert name == "a" or address is None, "an image has no address"


def test_the_browser_builds_all_elements_of_the_tree_and_no_others() -> None:
    text = (
        "# a\n\n~~b~~ **c** `d` [e](https://example.org)\n\n1. f\n\n```\ng\n```\n\n|h|\n|-|\n|i|\n\n![j](k)"
    )
    names = {node[0] for node in list_nodes(build_tree(text)) if not isinstance(node, str)}
    script = review.build_script("rendered_view")
    allowed = re.search(r"new Set\(\[(.*?)\]\)", script)
    assert allowed is not None
    built = set(re.findall(r'"(\w+)"', allowed[1]))
    assert names - {"img"} <= built
    assert not built & {"img", "script", "iframe", "style", "object", "svg"}
