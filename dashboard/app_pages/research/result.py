"""Renders the result of a job: verdict and reason, then the sources, then search metrics."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import streamlit as st

from dashboard.app_pages.research import jobs, session_state, sources
from dashboard.app_pages.research.marked_text import build_entity_table, build_marked_box, build_marked_text
from dashboard.app_pages.research.markup import build_entity_link, format_hundredths, get_type_name
from dashboard.client.research import Assessment, EntityOut, SourcesResult, TruthAssessment
from dashboard.components import text_marks
from dashboard.components.text_marks import NamedEntity
from dashboard.frame import formats
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t
from dashboard.i18n.punctuation import add_label

HEADING_ID = "rs-verdict"
VERDICT_GLYPHS: Mapping[Assessment, str] = {
    "supported": "✓",
    "contradicted": "✕",
    "mixed": "≈",
    "unverified": "?",
}


def render_fact_check_result(result: SourcesResult, submitted_text: str | None) -> None:
    """Renders the result for a statement.

    ``submitted_text`` is the whole text as submitted, None if another session submitted it.
    """
    st.html(_build_verdict(result))
    entities = text_marks.list_entities(session_state.find_entity_marks(result["statement"]))
    if entities:
        st.html(_build_chips(entities))
    st.html(sources.build_sources(result))
    st.html(_build_metrics(result))
    if submitted_text is not None and submitted_text.strip() != result["statement"].strip():
        with st.expander(t("research.text_marked"), key="rs_whole"):
            st.html(build_marked_box(submitted_text, session_state.find_entity_marks(submitted_text)))


def render_entities_result(entities: Sequence[EntityOut], submitted_text: str | None) -> None:
    """Renders the entities of a text, and the marked text if this session submitted it."""
    heading = (
        t("research.entities_found", n=f"{len(entities):,}") if entities else t("research.entities_none")
    )
    st.html(tag("h2", text(heading), id=HEADING_ID, tabindex="-1", class_="rs-verdict-title"))
    if entities:
        st.html(build_entity_table(entities))
    if submitted_text is not None:
        st.html(tag("h3", text(t("research.text_marked")), class_="cp-subhead"))
        st.html(build_marked_box(submitted_text, session_state.find_entity_marks(submitted_text)))
    elif entities:
        st.html(tag("p", text(t("research.entities_text_gone")), class_="cp-note"))


# --- Verdict


def _build_verdict(result: SourcesResult) -> str:
    truth = result["truth_assessment"]
    word = truth["assessment"]
    passages = [source["summary"] for source in result["primary_sources"]]
    claimed = text_marks.mark_claims(result["statement"], truth["reasoning"], passages, word)
    marks = text_marks.merge_marks(claimed, session_state.find_entity_marks(result["statement"]))
    return tag(
        "section",
        tag(
            "h2",
            tag("span", text(VERDICT_GLYPHS[word]), class_="rs-glyph", aria_hidden="true"),
            tag("span", text(t(f"research.verdict_{word}"))),
            id=HEADING_ID,
            tabindex="-1",
            class_="rs-verdict-title",
        ),
        tag("p", text(t("research.statement_checked")), class_="cp-note"),
        tag(
            "blockquote",
            build_marked_text(result["statement"], marks, in_source=False),
            lang=detect_html_lang(result["statement"]),
        ),
        _build_probability_and_confidence(truth),
        tag("p", text(t("research.why")), class_="cp-note"),
        tag("p", text(truth["reasoning"]), class_="rs-why", lang=detect_html_lang(truth["reasoning"])),
        class_=f"rs-verdict rs-{word}",
        aria_labelledby=HEADING_ID,
    )


def _build_probability_and_confidence(truth: TruthAssessment) -> str:
    """Builds the meter and the confidence.

    Empty for an unverified statement at 50 %, where a bar would look like a result.
    """
    probability, word = truth["truth_probability"], truth["assessment"]
    if word == "unverified" and Decimal(str(probability)) == Decimal("0.5"):
        return ""
    confidence = _build_confidence(truth["confidence_level"])
    return tag("div", _build_meter(probability, word), confidence, class_="rs-measure")


def _build_confidence(level: str) -> str:
    name = t(f"research.confidence_{level}")
    filled = {"low": 1, "medium": 2, "high": 3}[level]
    dots = tag("span", text("●" * filled + "○" * (3 - filled)), class_="rs-dots", aria_hidden="true")
    return tag("p", text(t("research.confidence")) + " " + dots + " " + tag("strong", text(name)))


def _build_meter(probability: Decimal | float, word: Assessment) -> str:
    """Builds a meter whose bar starts at 50 % (no evidence) and extends towards false or true."""
    share = Decimal(str(probability))
    percent = formats.percent(share * 100, signed=False, places=0)
    value_text = t("research.probability_value", percent=percent, word=t(f"research.word_{word}"))
    start, length = jobs.compute_meter_bar(share)
    bar = tag("span", class_="rs-bar", style=f"left:{start:.1f}%;width:{length:.1f}%")
    knob = tag("span", class_="rs-knob", style=f"left:{float(share) * 100:.1f}%")
    track = tag(
        "div",
        tag("span", class_="rs-half"),
        bar,
        knob,
        class_="rs-track",
        role="meter",
        aria_label=t("research.probability"),
        aria_valuemin="0",
        aria_valuemax="100",
        aria_valuenow=f"{float(share) * 100:.0f}",
        aria_valuetext=value_text,
    )
    ends = tag(
        "p",
        tag("span", text(t("research.end_false"))),
        tag("span", text(t("research.end_true"))),
        class_="rs-ends cp-note",
        aria_hidden="true",
    )
    head = tag(
        "p",
        tag("span", text(t("research.probability"))),
        tag("strong", text(percent), class_="rs-percent"),
        tag("span", text(t(f"research.word_{word}")), class_="rs-word"),
        class_="rs-meter-head",
    )
    return tag("div", head, track, ends, class_="rs-meter")


def _build_chips(entities: Sequence[NamedEntity]) -> str:
    chips = "".join(
        tag(
            "li",
            build_entity_link(entity.name, jobs.find_site_url(entity.domains)),
            tag("span", text(get_type_name(entity.type)), class_="cp-note"),
        )
        for entity in entities
    )
    label = t("research.entities_found", n=f"{len(entities):,}")
    return tag("div", tag("p", text(label), class_="cp-note"), tag("ul", chips, class_="cp-chips"))


# --- Search metrics


def _build_metrics(result: SourcesResult) -> str:
    metrics = result["search_metrics"]
    metric_values = (
        (t("research.metric_rounds"), formats.integer(metrics["search_rounds"])),
        (t("research.metric_found"), formats.integer(result["search_results_count"])),
        (t("research.metric_sources"), formats.integer(metrics["total_sources"])),
        (t("research.metric_quality"), formats.integer(metrics["quality_sources_found"])),
        (t("research.metric_time"), format_hundredths(result["processing_time_ms"] / 1000)),
    )
    tiles = "".join(
        tag("div", tag("dt", text(label)), tag("dd", text(value))) for label, value in metric_values
    )
    query = result["refined_query"]
    query_paragraph = tag(
        "p",
        text(add_label(t("research.query"), "")),
        tag("span", text(query), lang=detect_html_lang(query)),
        class_="cp-note",
    )
    original_urls = result["original_urls"]
    urls = (
        tag(
            "p", text(add_label(t("research.sent_urls"), " · ".join(original_urls))), class_="cp-note rs-sent"
        )
        if original_urls
        else ""
    )
    head = tag("h2", text(t("research.metrics")), class_="cp-subhead")
    return tag(
        "section", head, tag("dl", tiles, class_="cp-figures"), query_paragraph, urls, class_="rs-metrics"
    )
