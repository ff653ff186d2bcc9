"""Shows the comparison of two profiles: verdict, figures, case differences, and all pairs."""

import streamlit as st

from backend.timelines.analysis import verdicts
from backend.timelines.analysis.comparison import ProfileComparison, compare_profiles
from backend.timelines.analysis.pairwise_comparison import PairMatrix, pair_matrix
from backend.timelines.columns.run_arrays import RunArrays
from dashboard.app_pages.timelines import (
    case_dot_plot,
    comparison_data,
    pairwise_table,
    section_text,
    url_state,
)
from dashboard.app_pages.timelines.selection import TimelinesState
from dashboard.components.live_view import Node, h, live_view
from dashboard.i18n import language, t

A_KEY, B_KEY, SWAP_KEY = "tlp_a", "tlp_b", "tlp_swap"


def render(arrays: RunArrays, state: TimelinesState) -> None:
    with st.container(key="tlp_compare", border=True, gap="small"):
        section_text.render_heading(t("timelines.cmp_title"))
        chosen = comparison_data.choose_pair(arrays, state.profiles, state.a, state.b)
        if chosen is None:
            section_text.render_note(_explain_missing_pair(arrays, state))
            return
        _render_choice(arrays, state, *chosen)
        result, matrix = compare_profiles(arrays, *chosen), pair_matrix(arrays)
        left, right = st.columns(2, gap="large")
        with left:
            live_view(_build_verdict(arrays, result, matrix), key="tlp_verdict")
            pairwise_table.render(arrays, matrix, chosen)
        with right:
            case_dot_plot.render(arrays, result, state)


def _explain_missing_pair(arrays: RunArrays, state: TimelinesState) -> str:
    found = comparison_data.rank_profiles(arrays, state.profiles)
    if not found:
        return t("timelines.cmp_needs_runs")
    return t("timelines.cmp_needs_two", name=found[0])


def _render_choice(arrays: RunArrays, state: TimelinesState, a: str, b: str) -> None:
    known = sorted(comparison_data.rank_profiles(arrays, state.profiles), key=str.casefold)
    options = [*known, *(name for name in dict.fromkeys((a, b)) if name not in known)]
    with st.container(key="tlp_pair", horizontal=True, vertical_alignment="bottom", gap="small"):
        for key, label, name in ((A_KEY, t("timelines.cmp_a"), a), (B_KEY, t("timelines.cmp_b"), b)):
            st.session_state[key] = name
            st.selectbox(label, options, key=key, on_change=_on_pair_chosen)
        st.button(
            t("timelines.cmp_swap"),
            key=SWAP_KEY,
            icon=":material/swap_horiz:",
            on_click=_compare,
            args=(b, a),
        )


def _on_pair_chosen() -> None:
    _compare(st.session_state[A_KEY], st.session_state[B_KEY])


def _compare(a: str, b: str) -> None:
    url_state.update(a=a, b=b)
    url_state.redraw_sections("compare", "cases")


def _build_verdict(arrays: RunArrays, result: ProfileComparison, matrix: PairMatrix) -> list[Node | None]:
    verdict = verdicts.verdict(result, language())
    kind = "refused" if not verdict.has_comparison else "found" if verdict.kind == "ahead" else "open"
    body: list[Node | None] = [h("p", verdict.text, class_=f"tlp-verdict tlp-{kind}", role="status")]
    if verdict.has_comparison and matrix.compared_pairs > 1:
        body.append(_build_corrected_sentence(arrays, result, matrix))
    body += [
        h("p", text, class_="cp-note")
        for side in (result.a, result.b)
        if (text := verdicts.excluded_runs_sentence(side, language())) is not None
    ]
    if verdict.has_comparison and result.paired is not None:
        body += [_build_difference_axis(result), _build_facts(result)]
    return [h("div", *body, class_="tlp-against")]


def _build_corrected_sentence(
    arrays: RunArrays, result: ProfileComparison, matrix: PairMatrix
) -> Node | None:
    rows = [arrays.profiles[index] for index in matrix.profiles]
    text = verdicts.corrected_sentence(
        matrix, rows.index(result.a.profile), rows.index(result.b.profile), language()
    )
    return None if text is None else h("p", text, class_="tlp-stands")


def _build_difference_axis(result: ProfileComparison) -> Node | None:
    """Build the difference and its interval on an axis; the figures beside it contain the same."""
    paired = result.paired
    if paired is None:
        return None
    axis = comparison_data.build_axis((paired.difference,), (paired.interval,))
    name = {
        side: comparison_data.shorten(profile.profile, 28)
        for side, profile in (("a", result.a), ("b", result.b))
    }
    return h(
        "div",
        h(
            "div",
            h("span", t("timelines.cmp_ahead", name=name["a"])),
            h("span", t("timelines.cmp_ahead", name=name["b"])),
            class_="tlp-sides",
        ),
        case_dot_plot.build_strip(axis, paired.difference, paired.interval, large=True),
        h(
            "div",
            *(h("span", section_text.format_signed_points(end)) for end in (-axis.limit, 0.0, axis.limit)),
            class_="tlp-axis",
        ),
        class_="tlp-delta",
        aria_hidden="true",
    )


def _build_facts(result: ProfileComparison) -> Node | None:
    paired = result.paired
    if paired is None:
        return None
    rows = [
        (t("timelines.cmp_difference"), section_text.format_difference(paired.difference, paired.interval)),
        (t("timelines.cmp_cases"), f"{paired.cases:,}"),
        (
            t("timelines.cmp_tally"),
            t("timelines.cmp_tally_of", wins=paired.wins, ties=paired.ties, losses=paired.losses),
        ),
        (t("timelines.cmp_least"), _format_points(paired.detectable_difference)),
    ]
    for side in (result.a, result.b):
        if side.mean is not None:
            mean = section_text.format_mean(side.mean.mean, side.interval)
            figures = t("timelines.cmp_side", mean=mean, cases=f"{side.cases:,}", runs=f"{side.runs:,}")
            rows.append((comparison_data.shorten(side.profile, 40), figures))
    return h("dl", *(h("div", h("dt", name), h("dd", text)) for name, text in rows), class_="tlp-facts")


def _format_points(value: float | None) -> str:
    return "–" if value is None else t("timelines.cmp_points", n=verdicts.points(value))
