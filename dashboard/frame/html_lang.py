"""Applies language and theme to the document, stores preferences and reports the mode. Draws nothing."""

from functools import cache
from typing import Any

import streamlit as st

from dashboard.frame.preferences import COOKIE, Preferences
from dashboard.i18n import HTML_LANG

_JS = """
// Charts have the colours of the mode in which the server drew them, so a change of mode requests a redraw.
// A redraw right at the change may still use the old mode, so the request is repeated, at most three times:
// a server that sees another mode than the browser must not redraw forever.
const page = document.documentElement;
let requests = 0;
let requestRedraw = () => {};
function compareMode(app) {
  const mode = getComputedStyle(app).colorScheme;
  if (mode === page.dataset.drawn) requests = 0;
  else if (requests < 3) setTimeout(() => requestRedraw(mode), 40 * requests++);
}
const modeObserver = new MutationObserver(([mutation]) => compareMode(mutation.target));

export default function ({ data, setTriggerValue }) {
  page.lang = data.lang;
  globalThis.chainproofSetTheme?.(data.theme);
  page.dataset.drawn = data.drawn;
  requestRedraw = (mode) => setTriggerValue("mode", mode);
  const app = document.querySelector(".stApp");
  if (app) {
    modeObserver.observe(app, { attributes: true, attributeFilter: ["class"] });
    compareMode(app);
  }
  if (data.value !== null) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${data.cookie}=${data.value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }
}
"""


@cache
def _component() -> Any:
    return st.components.v2.component("chainproof.html_lang", js=_JS, isolate_styles=False)


def render_html_lang(chosen: Preferences, cookie: str | None) -> None:
    """Renders the component. ``cookie`` is the new value (codes joined by ``=`` and ``&``), or ``None``."""
    _component()(
        key="html_lang",
        data={
            "lang": HTML_LANG[chosen.language],
            "theme": chosen.theme,
            "cookie": COOKIE,
            "value": cookie,
            "drawn": st.context.theme.type or "light",
        },
        height="content",
        on_mode_change=_ignore_trigger,
    )


def _ignore_trigger() -> None:
    """Does nothing: a trigger needs a callback, but only its rerun is needed."""
