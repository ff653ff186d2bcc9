"""Builds the script in the document's head, which runs before Streamlit's."""

import json
from functools import cache
from pathlib import Path

from dashboard.i18n import HTML_LANG, LANGUAGES, t


@cache
def build_script() -> str:
    """Joins the scripts of this folder and adds their texts, by the document's ``lang``."""
    folder = Path(__file__).parent
    theme, notice = (
        (folder / name).read_text(encoding="utf-8") for name in ("theme.js", "connection_notice.js")
    )
    texts = {HTML_LANG[code]: t("frame.connection_lost", lang=code) for code in LANGUAGES}
    return theme + notice.replace("CONNECTION_TEXTS", json.dumps(texts, ensure_ascii=False))
