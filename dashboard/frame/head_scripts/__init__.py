"""Builds the script in the document's head, which runs before Streamlit's."""

import json
from functools import cache
from pathlib import Path

from dashboard.i18n import HTML_LANG, LANGUAGES, t


@cache
def build_script() -> str:
    """Joins the scripts of this folder and adds their texts, by the document's ``lang``."""
    texts = {HTML_LANG[code]: t("frame.connection_lost", lang=code) for code in LANGUAGES}
    scripts = (file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("*.js")))
    return "".join(scripts).replace("CONNECTION_TEXTS", json.dumps(texts, ensure_ascii=False))
