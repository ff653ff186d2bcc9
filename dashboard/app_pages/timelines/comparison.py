"""A against B: the verdict and its figures, each case's difference, and all pairs corrected."""

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.comparison import Versus, compare_profiles
from backend.timelines.analysis.pairwise_comparison import PairMatrix, pair_matrix
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import comparison_data as parts
from dashboard.app_pages.timelines import difference_dots as dots
from dashboard.app_pages.timelines import pair_matrix as pairs
from dashboard.app_pages.timelines import section_text as words
from dashboard.app_pages.timelines import url_state as desk
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.components.live_view import Node, h, live_view
from dashboard.i18n import language, t

A, B, SWAP = "tlp_a", "tlp_b", "tlp_swap"


def section(arrays: RunArrays, state: TimelinesState) -> None:
    with st.container(key="tlp_compare", border=True, gap="small"):
        words.heading(t("timelines.cmp_title"))
        chosen = parts.pair_of(arrays, state.profiles, state.a, state.b)
        if chosen is None:
            words.note(_needs_two(arrays, state))
            return
        _choice(arrays, state, *chosen)
        result, matrix = compare_profiles(arrays, *chosen), pair_matrix(arrays)
        left, right = st.columns(2, gap="large")
        with left:
            live_view(_verdict(arrays, result, matrix), key="tlp_verdict")
            pairs.show(arrays, matrix, chosen)
        with right:
            dots.show(arrays, result, state)


def _needs_two(arrays: RunArrays, state: TimelinesState) -> str:
    found = parts.by_mean(arrays, state.profiles)
    if not found:
        return t("timelines.cmp_needs_runs")
    return t("timelines.cmp_needs_two", name=found[0])


def _choice(arrays: RunArrays, state: TimelinesState, a: str, b: str) -> None:
    known = sorted(parts.by_mean(arrays, state.profiles), key=str.casefold)
    options = [*known, *(name for name in dict.fromkeys((a, b)) if name not in known)]
    with st.container(key="tlp_pair", horizontal=True, vertical_alignment="bottom", gap="small"):
        for key, label, name in ((A, t("timelines.cmp_a"), a), (B, t("timelines.cmp_b"), b)):
            st.session_state[key] = name
            st.selectbox(label, options, key=key, on_change=_chosen)
        st.button(
            t("timelines.cmp_swap"), key=SWAP, icon=":material/swap_horiz:", on_click=_choose, args=(b, a)
        )


def _chosen() -> None:
    _choose(st.session_state[A], st.session_state[B])


def _choose(a: str, b: str) -> None:
    desk.choose(a=a, b=b)
    desk.redraw("compare", "cases")


def _verdict(arrays: RunArrays, result: Versus, matrix: PairMatrix) -> list[Node | None]:
    said = verdicts.verdict(result, language())
    kind = "refused" if not said.compared else "found" if said.kind == "ahead" else "open"
    body: list[Node | None] = [h("p", said.text, class_=f"tlp-verdict tlp-{kind}", role="status")]
    if said.compared and matrix.compared > 1:
        body.append(_among_all(arrays, result, matrix))
    body += [
        h("p", text, class_="cp-note")
        for side in (result.a, result.b)
        if (text := verdicts.left_out(side, language())) is not None
    ]
    if said.compared and result.paired is not None:
        body += [_drawing(result), _facts(result)]
    return [h("div", *body, class_="tlp-against")]


def _among_all(arrays: RunArrays, result: Versus, matrix: PairMatrix) -> Node | None:
    rows = [arrays.profiles[place] for place in matrix.profiles]
    text = verdicts.corrected_sentence(
        matrix, rows.index(result.a.profile), rows.index(result.b.profile), language()
    )
    return None if text is None else h("p", text, class_="tlp-stands")


def _drawing(result: Versus) -> Node | None:
    """The difference and its interval on an axis; the figures beside it say the same."""
    paired = result.paired
    if paired is None:
        return None
    axis = parts.scale((paired.difference,), (paired.interval,))
    name = {side: parts.short(one.profile, 28) for side, one in (("a", result.a), ("b", result.b))}
    return h(
        "div",
        h(
            "div",
            h("span", t("timelines.cmp_ahead", name=name["a"])),
            h("span", t("timelines.cmp_ahead", name=name["b"])),
            class_="tlp-sides",
        ),
        dots.strip(axis, paired.difference, paired.interval, large=True),
        h(
            "div",
            *(h("span", words.signed(end)) for end in (-axis.limit, 0.0, axis.limit)),
            class_="tlp-axis",
        ),
        class_="tlp-delta",
        aria_hidden="true",
    )


def _facts(result: Versus) -> Node | None:
    paired = result.paired
    if paired is None:
        return None
    pairs_ = [
        (t("timelines.cmp_difference"), words.with_interval(paired.difference, paired.interval)),
        (t("timelines.cmp_cases"), f"{paired.cases:,}"),
        (
            t("timelines.cmp_tally"),
            t("timelines.cmp_tally_of", wins=paired.wins, ties=paired.ties, losses=paired.losses),
        ),
        (t("timelines.cmp_least"), _points(paired.least)),
    ]
    for side in (result.a, result.b):
        if side.mean is not None:
            mean = words.level(side.mean.mean, side.interval)
            told = t("timelines.cmp_side", mean=mean, cases=f"{side.cases:,}", runs=f"{side.runs:,}")
            pairs_.append((parts.short(side.profile, 40), told))
    return h("dl", *(h("div", h("dt", name), h("dd", text)) for name, text in pairs_), class_="tlp-facts")


def _points(value: float | None) -> str:
    return "–" if value is None else t("timelines.cmp_points", n=verdicts.points(value))
