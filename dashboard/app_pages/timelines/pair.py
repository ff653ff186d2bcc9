"""Shows the choice of the profiles A and B, and the verdict on them."""

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import comparison_data, data, section_text, url_state
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

A_KEY, B_KEY, SWAP_KEY = "tl_a", "tl_b", "tl_swap"


def render_choice(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the choice of A and B; nothing if there is only one profile."""
    chosen = comparison_data.choose_pair(arrays, state.profiles, state.a, state.b)
    if chosen is None:
        return
    names = sorted(comparison_data.rank_profiles(arrays, state.profiles), key=str.casefold)
    options = [*names, *(name for name in dict.fromkeys(chosen) if name not in names)]
    for key, label, name in zip((A_KEY, B_KEY), ("cmp_a", "cmp_b"), chosen, strict=True):
        st.session_state[key] = name
        st.selectbox(t(f"timelines.{label}"), options, key=key, on_change=_on_pair_chosen)
        if key == A_KEY:
            st.button(
                "",
                key=SWAP_KEY,
                icon=":material/swap_horiz:",
                help=t("timelines.cmp_swap"),
                on_click=compare,
                args=chosen[::-1],
            )


def _on_pair_chosen() -> None:
    compare(st.session_state[A_KEY], st.session_state[B_KEY])


def compare(a: str, b: str) -> None:
    """Compare ``b`` with ``a``. Call it in a widget's callback."""
    url_state.update(a=a, b=b)
    url_state.redraw_sections("bar", "verdict", "tab")


def render_verdict(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the verdict, or what a comparison needs."""
    chosen = comparison_data.choose_pair(arrays, state.profiles, state.a, state.b)
    if chosen is None:
        names = comparison_data.rank_profiles(arrays, state.profiles)
        section_text.render_note(t("timelines.cmp_needs_two", name=names[0]))
        return
    verdict = verdicts.verdict(data.compare(arrays, state, *chosen), language())
    kind = "refused" if not verdict.has_comparison else "found" if verdict.kind == "ahead" else "open"
    st.html(tag("p", text(verdict.text), class_=f"tl-verdict tl-{kind}", role="status"))
