"""The result of a job: the verdict with its reason first, then the sources, then how it was found."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import streamlit as st

from dashboard.app_pages.research import jobs as reading
from dashboard.app_pages.research import session_state
from dashboard.app_pages.research import sources as research_sources
from dashboard.app_pages.research.marked_text import entity_table, marked, marked_text
from dashboard.app_pages.research.markup import entity_link, hundredths, type_name
from dashboard.client.research import AssessmentWord, EntityOut, SourcesResult
from dashboard.components import text_marks as marking
from dashboard.components.text_marks import Named
from dashboard.frame import formats
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t

HEADING = "rs-verdict"
GLYPHS: Mapping[AssessmentWord, str] = {
    "supported": "✓",
    "contradicted": "✕",
    "mixed": "≈",
    "unverified": "?",
}


def sources(result: SourcesResult, submitted: str | None) -> None:
    """Everything on a statement; ``submitted`` is the text that was sent, where this session knows it."""
    st.html(_verdict(result))
    named = marking.named_in(session_state.entity_marks(result["statement"]))
    if named:
        st.html(_chips(named))
    st.html(research_sources.sources(result))
    st.html(_metrics(result))
    if submitted is not None and submitted.strip() != result["statement"].strip():
        with st.expander(t("research.text_marked"), key="rs_whole"):
            st.html(marked_text(submitted, session_state.entity_marks(submitted)))


def entities(found: Sequence[EntityOut], submitted: str | None) -> None:
    """The entities of a text, and the text with their places where this session knows it."""
    said = t("research.entities_found", n=f"{len(found):,}") if found else t("research.entities_none")
    st.html(tag("h2", text(said), id=HEADING, tabindex="-1", class_="rs-verdict-said"))
    if found:
        st.html(entity_table(found))
    if submitted is not None:
        st.html(tag("h3", text(t("research.text_marked")), class_="cp-subhead"))
        st.html(marked_text(submitted, session_state.entity_marks(submitted)))
    elif found:
        st.html(tag("p", text(t("research.entities_text_gone")), class_="cp-note"))


# --- the verdict


def _verdict(result: SourcesResult) -> str:
    truth = result["truth_assessment"]
    word = truth["assessment"]
    passages = [source["summary"] for source in result["primary_sources"]]
    claimed = marking.claimed(result["statement"], truth["reasoning"], passages, word)
    marks = marking.together(claimed, session_state.entity_marks(result["statement"]))
    confidence = _confidence(truth["confidence_level"])
    return tag(
        "section",
        tag(
            "h2",
            tag("span", text(GLYPHS[word]), class_="rs-glyph", aria_hidden="true"),
            tag("span", text(t(f"research.verdict_{word}"))),
            id=HEADING,
            tabindex="-1",
            class_="rs-verdict-said",
        ),
        tag("p", text(t("research.statement_checked")), class_="cp-note"),
        tag(
            "blockquote",
            marked(result["statement"], marks, here=False),
            lang=detect_html_lang(result["statement"]),
        ),
        tag("div", _meter(truth["truth_probability"], word), confidence, class_="rs-measure"),
        tag("p", text(t("research.why")), class_="cp-note"),
        tag("p", text(truth["reasoning"]), class_="rs-why", lang=detect_html_lang(truth["reasoning"])),
        class_=f"rs-verdict rs-{word}",
        aria_labelledby=HEADING,
    )


def _confidence(level: str) -> str:
    named = t(f"research.confidence_{level}")
    filled = {"low": 1, "medium": 2, "high": 3}[level]
    dots = tag("span", text("●" * filled + "○" * (3 - filled)), class_="rs-dots", aria_hidden="true")
    return tag("p", text(t("research.confidence")) + " " + dots + " " + tag("strong", text(named)))


def _meter(probability: Decimal | float, word: AssessmentWord) -> str:
    """From one half, where nothing is known, towards false or true."""
    share = Decimal(str(probability))
    percent = formats.percent(share * 100, signed=False, places=0)
    said = t("research.probability_value", percent=percent, word=t(f"research.word_{word}"))
    begin, length = reading.verdict_span(share)
    bar = tag("span", class_="rs-bar", style=f"left:{begin:.1f}%;width:{length:.1f}%")
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
        aria_valuetext=said,
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


def _chips(named: Sequence[Named]) -> str:
    chips = "".join(
        tag(
            "li",
            entity_link(one.name, reading.site(one.domains)),
            tag("span", text(type_name(one.type)), class_="cp-note"),
        )
        for one in named
    )
    label = t("research.entities_found", n=f"{len(named):,}")
    return tag("div", tag("p", text(label), class_="cp-note"), tag("ul", chips, class_="cp-chips"))


# --- how it was found


def _metrics(result: SourcesResult) -> str:
    metrics = result["search_metrics"]
    figures = (
        (t("research.metric_rounds"), formats.integer(metrics["search_rounds"])),
        (t("research.metric_found"), formats.integer(result["search_results_count"])),
        (t("research.metric_sources"), formats.integer(metrics["total_sources"])),
        (t("research.metric_quality"), formats.integer(metrics["quality_sources_found"])),
        (t("research.metric_time"), hundredths(result["processing_time_ms"] / 1000)),
    )
    tiles = "".join(tag("div", tag("dt", text(label)), tag("dd", text(value))) for label, value in figures)
    query = result["refined_query"]
    words = tag(
        "p",
        text(f"{t('research.query')}: "),
        tag("span", text(query), lang=detect_html_lang(query)),
        class_="cp-note",
    )
    sent = result["original_urls"]
    urls = (
        tag("p", text(f"{t('research.sent_urls')}: " + " · ".join(sent)), class_="cp-note rs-sent")
        if sent
        else ""
    )
    head = tag("h2", text(t("research.metrics")), class_="cp-subhead")
    return tag("section", head, tag("dl", tiles, class_="cp-figures"), words, urls, class_="rs-metrics")
