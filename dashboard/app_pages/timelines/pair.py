"""Shows the choice of the sides A and B, and the verdict on them.

B is another profile, or a change at which A is compared with itself.
"""

from datetime import UTC, date, datetime, time

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.self_comparison import Split, format_mark
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import comparison_data, data, section_text, self_splits, url_state
from dashboard.app_pages.timelines.comparison_data import Sides
from dashboard.app_pages.timelines.selection import TimelinesState, format_split
from dashboard.frame.markup import tag, text
from dashboard.frame.widget_state import bind_widget
from dashboard.i18n import language, t

SPLIT_MARK = "\n"
"""Begins an option of B that is a split; no profile's name begins with it."""


def render_choice(arrays: RunArrays, state: TimelinesState) -> None:
    """Render the choice of A and B; nothing if there is nothing to compare."""
    sides = data.choose_comparison_sides(arrays, state)
    if sides is None:
        return
    names = sorted(comparison_data.rank_profiles(arrays, state.profiles), key=str.casefold)
    names = [*names, *(name for name in dict.fromkeys((sides.a, sides.b)) if name not in names)]
    a = bind_widget("tl_a", sides.a, lambda name: _choose_a(name, sides))
    st.selectbox(t("timelines.cmp_a"), names, names.index(sides.a), **a)
    if sides.self_split is None:
        st.button(
            "",
            key="tl_swap",
            icon=":material/swap_horiz:",
            help=t("timelines.cmp_swap"),
            on_click=compare,
            args=(sides.b, sides.a),
        )
    splits = _list_splits(arrays, sides)
    labels = {SPLIT_MARK + split: _label_split(*known) for split, known in splits}
    alerts = [SPLIT_MARK + split for split, (kind, _) in splits if kind == "alert"]
    # The likeliest first: A before and after an alert, then the profiles as in A, then other changes of A.
    options = [*alerts, *names, *(option for option in labels if option not in alerts)]
    chosen = sides.b if sides.self_split is None else SPLIT_MARK + self_splits.write(sides.self_split)
    b = bind_widget("tl_b", chosen, lambda option: _choose_b(option, sides))
    st.selectbox(
        t("timelines.cmp_b"),
        options,
        options.index(chosen),
        format_func=lambda option: labels.get(option, option),
        **b,
    )
    if sides.self_split is not None and sides.self_split.kind == "instant":
        _render_date(sides.a, sides.self_split)


def _list_splits(arrays: RunArrays, sides: Sides) -> list[tuple[str, tuple[str, str]]]:
    """List the splits of A as texts for the URL, each with its kind and the place to show."""
    return [
        (self_splits.write(split), (split.kind, format_mark(split, language())))
        for split in self_splits.list_splits(arrays, sides.a, sides.self_split)
    ]


def _label_split(kind: str, mark: str) -> str:
    return t(f"timelines.cmp_self_{'alert' if kind == 'alert' else 'change'}", mark=mark)


def _choose_a(name: str, sides: Sides) -> None:
    if sides.self_split is None:
        compare(name, sides.b)
    url_state.update_state(profile_a=name, profile_b=None, self_split=None)
    url_state.redraw_sections("bar", "verdict", "tab")


def _choose_b(option: str, sides: Sides) -> None:
    if option.startswith(SPLIT_MARK):
        compare_with_itself(sides.a, option.removeprefix(SPLIT_MARK))
    else:
        compare(sides.a, option)


def _render_date(profile: str, split: Split) -> None:
    """Render the choice of the day of a split."""
    day = self_splits.find_day(split)
    st.date_input(
        t("timelines.cmp_self_date"),
        day,
        label_visibility="collapsed",
        **bind_widget("tl_split_date", day, lambda chosen: _choose_date(profile, chosen)),
    )


def _choose_date(profile: str, chosen: object) -> None:
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
