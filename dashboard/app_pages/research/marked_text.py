"""Builds texts with marked entities, claims and evidence, and the table of a text's entities."""

from collections.abc import Sequence

from dashboard.app_pages.research import jobs
from dashboard.app_pages.research.markup import build_entity_link, build_table, get_type_name
from dashboard.client.research import EntityOut
from dashboard.components import text_marks
from dashboard.components.text_marks import Mark
from dashboard.frame import web_links
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t


def build_marked_box(content: str, marks: Sequence[Mark]) -> str:
    """Builds a whole text with its entities marked, in a scrolling box."""
    label = t("research.text_marked")
    return tag(
        "div",
        tag("p", build_marked_text(content, marks, in_source=False), lang=detect_html_lang(content)),
        class_="rs-text",
        tabindex="0",
        role="region",
        aria_label=label,
    )


def build_marked_text(content: str, marks: Sequence[Mark], *, in_source: bool) -> str:
    """Builds the markup of a text with marks; ``in_source`` is true for a passage of a source."""
    return "".join(
        text(piece.text) if piece.mark is None else build_mark(piece.text, piece.mark, in_source=in_source)
        for piece in text_marks.split_at_marks(content, sorted(marks, key=lambda mark: mark.start))
    )


def build_mark(content: str, mark: Mark, *, in_source: bool) -> str:
    """Builds a mark: an entity with a link, or words that agree or differ."""
    if mark.entity is not None:
        url = jobs.find_site_url(mark.entity.domains)
        title = f"{mark.entity.name} · {get_type_name(mark.entity.type)}"
        if url is None:
            return tag("span", text(content), class_="rs-entity", title=title)
        return tag(
            "a",
            text(content),
            href=url,
            title=f"{title} · {web_links.display_host(url)}",
            class_="rs-entity",
            target="_blank",
            rel="noopener noreferrer",
        )
    agrees = mark.sign == "agrees"
    if in_source:
        meaning = t("research.sign_agrees_here") if agrees else t("research.sign_differs_here")
    else:
        meaning = t("research.sign_agrees") if agrees else t("research.sign_differs")
    return tag(
        "mark",
        tag("span", text("✓" if agrees else "≠"), class_="rs-sign", aria_hidden="true"),
        text(content),
        tag("span", text(f" ({meaning})"), class_="rs-hidden"),
        class_=f"rs-{mark.sign}",
        title=meaning,
    )


def build_entity_table(entities: Sequence[EntityOut]) -> str:
    """Builds a table of entities: name in the catalogue and in the text, type, site and account."""
    columns = ("col_entity", "col_named", "col_type", "col_site", "col_account")
    return build_table(t("research.entities_caption"), columns, map(_build_entity_cells, entities), tall=True)


def _build_entity_cells(entity: EntityOut) -> list[str]:
    url = jobs.find_site_url(entity["official_domains"])
    account = jobs.find_x_account(entity["official_x_accounts"])
    site_cell = build_entity_link(web_links.display_host(url), url) if url else text("–")
    account_cell = build_entity_link(f"@{account}", f"https://x.com/{account}") if account else text("–")
    return [
        tag("th", tag("span", text(entity["canonical_name"]), lang="en"), scope="row"),
        tag("td", tag("span", text(entity["name"]), lang=detect_html_lang(entity["name"]))),
        tag("td", text(get_type_name(entity["type"]))),
        tag("td", site_cell),
        tag("td", account_cell),
    ]
