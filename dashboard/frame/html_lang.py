"""Sets ``<html lang>``, stores preferences in a cookie and reports dark or light mode. Draws nothing."""

from functools import cache
from typing import Any

import streamlit as st

from dashboard.frame.preferences import COOKIE
from dashboard.i18n import HTML_LANG, Language

_JS = """
// Charts have the colours of the mode in which the server drew them, so a change of mode asks for a redraw.
// A redraw right at the change may still use the old mode, so it is repeated, at most three times:
// a server that sees another mode than the browser must not redraw forever.
const page = document.documentElement;
let asked = 0;
let tell = () => {};
function look(app) {
  const mode = getComputedStyle(app).colorScheme;
  if (mode === page.dataset.drawn) asked = 0;
  else if (asked < 3) setTimeout(() => tell(mode), 40 * asked++);
}
const turns = new MutationObserver(([turn]) => look(turn.target));

export default function ({ data, setTriggerValue }) {
  page.lang = data.lang;
  page.dataset.drawn = data.drawn;
  tell = (mode) => setTriggerValue("mode", mode);
  const app = document.querySelector(".stApp");
  if (app) {
    turns.observe(app, { attributes: true, attributeFilter: ["class"] });
    look(app);
  }
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
    """Renders the component. ``keep`` is the new cookie (codes joined by ``=`` and ``&``), or ``None``."""
    _component()(
        key="html_lang",
        data={
            "lang": HTML_LANG[language],
            "cookie": COOKIE,
            "keep": keep,
            "drawn": st.context.theme.type or "light",
        },
        height="content",
        on_mode_change=_ignore_trigger,
    )


def _ignore_trigger() -> None:
    """Does nothing: a trigger needs a callback, but only its rerun is needed."""
