"""Sets ``<html lang>``, keeps the reader's choices in a cookie and tells of dark and light; draws nothing."""

from functools import cache
from typing import Any

import streamlit as st

from dashboard.frame.preferences import COOKIE
from dashboard.i18n import HTML_LANG, Language

_JS = """
// What the service drew has the colours of the mode that was: a turn asks it to draw anew. What is sent right
// at a turn may still name the mode that was, so it is asked again; thrice at most, lest a service that sees
// another mode than the browser draw for ever.
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
    """``keep`` is the cookie's content (codes joined by ``=`` and ``&``), or null to leave it alone."""
    _component()(
        key="html_lang",
        data={
            "lang": HTML_LANG[language],
            "cookie": COOKIE,
            "keep": keep,
            "drawn": st.context.theme.type or "light",
        },
        height="content",
        on_mode_change=_drawn_anew,
    )


def _drawn_anew() -> None:
    """A trigger needs a callback; the run that it brings is what is wanted."""
