"""Builds the ranked sources of a result: publisher, passage, and scores."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

from dashboard.app_pages.research.marked_text import build_mark, build_marked_text
from dashboard.client.research import PrimarySource, SourcesResult, TruthAssessment
from dashboard.components import text_marks
from dashboard.components.text_marks import Mark
from dashboard.frame import web_links
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t
from dashboard.i18n.punctuation import add_note

SOURCE_TYPES = (
    "regulator", "court", "government", "onchain", "official", "exchange", "data_provider", "press",
    "trade_press", "social", "blog", "unknown",
)  # fmt: skip
NEWS_TYPES = ("press", "trade_press", "social", "blog")


def build_sources(result: SourcesResult) -> str:
    """Builds the list of sources; for an unverified statement, a note says that none confirms it."""
    primary_sources = result["primary_sources"]
    word = result["truth_assessment"]["assessment"]
    is_unverified = word == "unverified"
    note = t("research.sources_near") if is_unverified else t("research.sources_note")
    head = tag(
        "h2",
        text(
            add_note(t("research.sources"), len(primary_sources))
            if primary_sources
            else t("research.sources")
        ),
    )
    if not primary_sources:
        return tag("section", head, tag("p", text(t("research.sources_none"))), class_="rs-sources")
    groups = _group_by_passage(primary_sources)
    items = "".join(_build_source(group, number, result) for number, group in enumerate(groups, 1))
    return tag(
        "section",
        tag("div", head, tag("p", text(note), class_="cp-note"), class_="rs-sources-head"),
        tag("ol", items),
        class_="rs-sources rs-near" if is_unverified else "rs-sources",
    )


def _group_by_passage(primary_sources: Sequence[PrimarySource]) -> list[list[PrimarySource]]:
    """Groups the sources with one passage, in the order of the first of each group."""
    groups: dict[tuple[str, str], list[PrimarySource]] = {}
    for source in primary_sources:
        groups.setdefault((source["title"], source["summary"]), []).append(source)
    return list(groups.values())


def _build_source(group: Sequence[PrimarySource], number: int, result: SourcesResult) -> str:
    """Builds the best source of a passage, and links to the other addresses of the passage."""
    source = group[0]
    truth = result["truth_assessment"]
    lang = detect_html_lang(source["summary"] or source["title"])
    title = tag(
        "span",
        text(source["title"] or web_links.display_host(source["url"])),
        lang=detect_html_lang(source["title"]),
    )
    linked = (
        tag(
            "a",
            title,
            tag("span", text(f" ({t('research.new_tab')})"), class_="rs-hidden"),
            href=source["url"],
            target="_blank",
            rel="noopener noreferrer",
        )
        if web_links.is_web_url(source["url"])
        else title
    )
    marks = text_marks.mark_evidence(
        source["summary"], truth["reasoning"], result["statement"], truth["assessment"]
    )
    return tag(
        "li",
        tag(
            "div",
            tag("span", text(str(number)), class_="rs-rank", aria_hidden="true"),
            tag("h3", linked),
            class_="rs-source-head",
        ),
        tag("p", _build_facts(source, truth), class_="rs-facts"),
        tag("blockquote", build_marked_text(source["summary"], marks, in_source=True), lang=lang),
        _build_other_addresses(group[1:]),
        _build_whole_content(source, lang),
        tag(
            "div",
            _build_score(t("research.authority"), source["authority_score"]),
            _build_score(t("research.relevance"), source["relevance_score"]),
            class_="rs-scores",
        ),
        class_="rs-source rs-news" if source["is_news_like"] else "rs-source",
    )


def _build_other_addresses(other_sources: Sequence[PrimarySource]) -> str:
    if not other_sources:
        return ""
    links = " · ".join(
        tag(
            "a",
            text(web_links.display_host(source["url"])),
            href=source["url"],
            target="_blank",
            rel="noopener noreferrer",
            title=source["url"],
        )
        if web_links.is_web_url(source["url"])
        else text(source["url"])
        for source in other_sources
    )
    return tag("p", text(f"{t('research.sources_also')} "), links, class_="cp-note rs-also")


def _build_whole_content(source: PrimarySource, lang: str) -> str:
    """Builds the collapsed full content, unless the passage contains all of it."""
    if not source["content"].strip() or source["content"].strip() in source["summary"]:
        return ""
    body = tag("p", text(source["content"]), lang=lang)
    return tag("details", tag("summary", text(t("research.content_whole"))), body)


def _build_facts(source: PrimarySource, truth: TruthAssessment) -> str:
    kind = source["source_type"]
    news = kind in NEWS_TYPES or source["is_news_like"]
    parts = [
        tag(
            "span",
            text(t(f"research.source_{kind}") if kind in SOURCE_TYPES else kind),
            class_=f"cp-badge cp-tone-{'calm' if news or kind == 'unknown' else 'good'}",
        )
    ]
    if source["is_news_like"]:
        parts.append(
            tag(
                "span", text(t("research.news")), class_="cp-badge cp-tone-warn", title=t("research.news_why")
            )
        )
    parts.append(tag("span", text(web_links.display_host(source["url"])), class_="rs-host"))
    parts.append(_build_date(source["published_at"], truth))
    glyph, word = {
        True: ("✓", "valid_yes"),
        False: ("✕", "valid_no"),
        None: ("○", "valid_unknown"),
    }[source["validated"]]
    mark = tag("span", text(f"{glyph} "), aria_hidden="true")
    parts.append(tag("span", mark, text(t(f"research.{word}")), class_=f"rs-{word}"))
    return "".join(parts)


def _build_date(timestamp: str | None, truth: TruthAssessment) -> str:
    """Builds the date of a source, marked if the reasoning quotes it."""
    if timestamp is None:
        return tag("span", text(t("research.undated")))
    at = datetime.fromisoformat(timestamp).astimezone(UTC)
    day = f"{at:%Y-%m-%d}"
    sign = text_marks.compare_date(day, truth["reasoning"], truth["assessment"])
    content = text(day) if sign is None else build_mark(day, Mark(0, len(day), sign=sign), in_source=True)
    return tag("time", content, datetime=timestamp, title=f"{at:%Y-%m-%d %H:%M:%S} UTC")


def _build_score(label: str, value: Decimal | float) -> str:
    share = min(max(float(value), 0.0), 1.0)
    number = f"{share:.2f}"
    bar = tag(
        "span", tag("span", class_="rs-share", style=f"width:{share * 100:.0f}%"), class_="rs-score-track"
    )
    return tag("p", tag("span", text(label)), bar, tag("strong", text(number)), class_="rs-score")
