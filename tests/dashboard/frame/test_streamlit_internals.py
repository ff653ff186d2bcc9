"""The installed Streamlit has the undocumented names that the dashboard relies on."""

import re
from pathlib import Path

import streamlit

from dashboard.frame.streamlit_internals import MARKERS, TITLE

STATIC = Path(streamlit.__file__).parent / "static"
DASHBOARD = Path(__file__).parents[3] / "dashboard"
USED = re.compile(
    r"data-testid[\^$]?=\W*(\w+)|data-variant=\W*(\w+)|\.(st[A-Z]\w+)|(data-(?:test|stale)\b(?!id)[\w-]*)|(data-baseweb|st-emotion)|(st-key-)"
    r"|(stActiveTheme)|(\(prefers-color-scheme: \w+\))"
)


def test_the_frontend_has_every_marker() -> None:
    frontend = "".join(file.read_text("utf-8") for file in (STATIC / "static" / "js").glob("*.js"))
    assert [marker for marker in MARKERS if marker not in frontend] == []


def test_styles_and_scripts_use_these_markers_and_no_others() -> None:
    files = [file for kind in ("css", "js", "py") for file in DASHBOARD.rglob(f"*.{kind}")]
    texts = [file.read_text("utf-8") for file in files if file.name != "streamlit_internals.py"]
    used = {next(filter(None, groups)) for text in texts for groups in USED.findall(text)}
    assert used <= set(MARKERS)
    assert [marker for marker in MARKERS if not any(marker in text for text in texts)] == []


def test_the_document_has_one_title_and_one_head() -> None:
    document = (STATIC / "index.html").read_bytes()
    assert (document.count(TITLE), document.count(b"</head>")) == (1, 1)
