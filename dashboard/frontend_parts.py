"""Which files of Streamlit's frontend the elements of a page come with.

Streamlit loads each when the first element of the kind is to be drawn, which then waits for it and for all
that it imports. A document that names them has them fetched while the page's script runs.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import streamlit as st

STATIC = Path(st.__file__).parent / "static"
SCRIPTS = STATIC / "static" / "js"
BY_PAGE: Mapping[str, Sequence[str]] = {
    "timelines": ("Html", "BidiComponent", "Multiselect", "Selectbox", "Checkbox", "Button", "ButtonGroup"),
}
"""By a page's path, the kinds of elements on its first screen, as the frontend names their files."""
_IMPORTED = re.compile(r'(?:from|import)\s?"\./([\w.-]+\.js)"')


@cache
def needed(page: str) -> tuple[str, ...]:
    """Addresses of the files for ``page`` that Streamlit's own document does not name already.

    A kind that this version of the frontend has no file for is left out: it is loaded when it is drawn.
    """
    named = (STATIC / "index.html").read_text("utf-8")
    waiting = [file.name for kind in BY_PAGE[page] for file in sorted(SCRIPTS.glob(f"{kind}.*.js"))]
    found: dict[str, None] = {}
    while waiting:
        name = waiting.pop()
        if name in found or name in named:
            continue
        found[name] = None
        waiting += _IMPORTED.findall((SCRIPTS / name).read_text("utf-8"))
    return tuple(f"/static/js/{name}" for name in found)


def hints(path: str) -> str:
    """Markup for the head of the document at ``path``; empty for a page that names no kinds."""
    page = path.strip("/")
    if page not in BY_PAGE:  # nothing is kept of what anybody may ask for
        return ""
    return "".join(f'<link rel="modulepreload" crossorigin href="{address}">' for address in needed(page))
