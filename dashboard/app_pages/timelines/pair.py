"""Shows the choice of the sides A and B, and the verdict on them.

B is another profile, or a change at which A is compared with itself.
"""

from datetime import UTC, date, datetime, time

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.self_comparison import format_mark
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import comparison_data, data, section_text, self_splits, url_state
from dashboard.app_pages.timelines.comparison_data import Sides
from dashboard.app_pages.timelines.selection import TimelinesState, format_split
from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

A_KEY, B_KEY, SWAP_KEY, DATE_KEY = "tl_a", "tl_b", "tl_swap", "tl_split_date"
SPLIT_MARK = "\n"
"""Begins an option of B that is a split; no profile's name begins with it."""


def render_choice(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the choice of A and B; nothing if there is nothing to compare."""
    sides = data.choose_comparison_sides(arrays, state)
    if sides is None:
        return
    names = sorted(comparison_data.rank_profiles(arrays, state.profiles), key=str.casefold)
    names = [*names, *(name for name in dict.fromkeys((sides.a, sides.b)) if name not in names)]
    st.session_state[A_KEY] = sides.a
    st.selectbox(t("timelines.cmp_a"), names, key=A_KEY, on_change=_on_a_chosen, args=(sides,))
    if sides.self_split is None:
        st.button(
            "",
            key=SWAP_KEY,
            icon=":material/swap_horiz:",
            help=t("timelines.cmp_swap"),
            on_click=compare,
            args=(sides.b, sides.a),
        )
    labels = {SPLIT_MARK + split: _label_split(*known) for split, known in _list_splits(arrays, sides)}
    st.session_state[B_KEY] = (
        sides.b if sides.self_split is None else SPLIT_MARK + self_splits.write(sides.self_split)
    )
    st.selectbox(
        t("timelines.cmp_b"),
        [*labels, *names],
        format_func=lambda option: labels.get(option, option),
        key=B_KEY,
        on_change=_on_b_chosen,
    )
    if sides.self_split is not None and sides.self_split.kind == "instant":
        _render_date(sides)


def _list_splits(arrays: RunArrays, sides: Sides) -> list[tuple[str, tuple[str, str]]]:
    """List the splits of A as texts for the URL, each with its kind and the place to show."""
    return [
        (self_splits.write(split), (split.kind, format_mark(split, language())))
        for split in self_splits.list_splits(arrays, sides.a, sides.self_split)
    ]


def _label_split(kind: str, mark: str) -> str:
    return t(f"timelines.cmp_self_{'alert' if kind == 'alert' else 'change'}", mark=mark)


def _on_a_chosen(sides: Sides) -> None:
    if sides.self_split is None:
        compare(st.session_state[A_KEY], sides.b)
    url_state.update_state(profile_a=st.session_state[A_KEY], profile_b=None, self_split=None)
    url_state.redraw_sections("bar", "verdict", "tab")


def _on_b_chosen() -> None:
    option = st.session_state[B_KEY]
    if option.startswith(SPLIT_MARK):
        compare_with_itself(st.session_state[A_KEY], option.removeprefix(SPLIT_MARK))
    else:
        compare(st.session_state[A_KEY], option)


def _render_date(sides: Sides) -> None:
    """Render the choice of the day of a split."""
    if sides.self_split is not None:
        st.session_state[DATE_KEY] = self_splits.find_day(sides.self_split)
    st.date_input(
        t("timelines.cmp_self_date"),
        key=DATE_KEY,
        on_change=_on_date_chosen,
        args=(sides.a,),
        label_visibility="collapsed",
    )


def _on_date_chosen(profile: str) -> None:
    chosen = st.session_state[DATE_KEY]
    if isinstance(chosen, date):
        start = datetime.combine(chosen, time.min, UTC)
        compare_with_itself(profile, format_split("instant", f"{start:%Y-%m-%dT%H:%M:%SZ}"))


def compare(a: str, b: str) -> None:
    """Compare ``b`` with ``a``. Call it in a widget's callback."""
    url_state.update_state(profile_a=a, profile_b=b, self_split=None)
    url_state.redraw_sections("bar", "verdict", "tab")


def compare_with_itself(profile: str, split: str) -> None:
    """Compare a profile before and after a split of the URL. Call it in a widget's callback."""
    url_state.update_state(profile_a=profile, profile_b=None, self_split=split)
    url_state.redraw_sections("bar", "verdict", "tab")


def list_title_parts(arrays: RunArrays, state: TimelinesState) -> list[str]:
    """List what the URL compares, for the title of the browser's tab; empty without a choice of A and B."""
    sides = data.choose_comparison_sides(arrays, state)
    if sides is None or (state.profile_a is None and state.profile_b is None):
        return []
    return [sides.a] if sides.self_split is not None else [t("timelines.cmp_title", a=sides.a, b=sides.b)]


def render_verdict(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the verdict, or what a comparison needs."""
    sides = data.choose_comparison_sides(arrays, state)
    if sides is None:
        names = comparison_data.rank_profiles(arrays, state.profiles)
        section_text.render_note(t("timelines.cmp_needs_two", name=names[0]))
        return
    verdict = verdicts.verdict(data.compare(arrays, state, sides).result, language())
    kind = "refused" if not verdict.has_comparison else "found" if verdict.kind == "ahead" else "open"
    gone = state.self_split is not None and sides.self_split is None
    note = tag("span", text(t("timelines.cmp_self_gone")), class_="cp-note") if gone else ""
    st.html(tag("p", text(verdict.text), note, class_=f"tl-verdict tl-{kind}", role="status"))
