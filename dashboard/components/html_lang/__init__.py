"""Sets ``<html lang>`` and keeps the reader's choices in a cookie; draws nothing."""

from functools import cache
from typing import Any

import streamlit as st

from dashboard.i18n import HTML_LANG, Language
from dashboard.preferences import COOKIE

_JS = """
export default function ({ data }) {
  document.documentElement.lang = data.lang;
  if (data.keep !== null) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${data.cookie}=${data.keep}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }
}
"""


@cache
def _component() -> Any:
    return st.components.v2.component("chainproof.html_lang", js=_JS, isolate_styles=False)


def html_lang(language: Language, keep: str | None) -> None:
    """``keep`` is the cookie's content (codes joined by ``=`` and ``&``), or null to leave it alone."""
    _component()(
        key="html_lang", data={"lang": HTML_LANG[language], "cookie": COOKIE, "keep": keep}, height="content"
    )
