"""Texts of the Research page with what is marked in them, and the table of a text's entities."""

from collections.abc import Sequence

from dashboard.app_pages.research import jobs as reading
from dashboard.app_pages.research.markup import entity_link, table, type_name
from dashboard.client.research import EntityOut
from dashboard.components import text_marks as marking
from dashboard.components.text_marks import Mark
from dashboard.frame import web_links
from dashboard.frame.markup import detect_html_lang, tag, text
from dashboard.i18n import t


def marked_text(said: str, marks: Sequence[Mark]) -> str:
    """A whole text with its entities marked, in a box of its own."""
    label = t("research.text_marked")
    return tag(
        "div",
        tag("p", marked(said, marks, here=False), lang=detect_html_lang(said)),
        class_="rs-text",
        tabindex="0",
        role="region",
        aria_label=label,
    )


def marked(said: str, marks: Sequence[Mark], *, here: bool) -> str:
    """A text with its marks, as markup. ``here``: a source's own words, held against the statement."""
    return "".join(
        text(piece.text) if piece.mark is None else marked_piece(piece.text, piece.mark, here=here)
        for piece in marking.pieces(said, sorted(marks, key=lambda mark: mark.start))
    )


def marked_piece(said: str, mark: Mark, *, here: bool) -> str:
    """One mark: an entity, linked to its own site, or words that agree or differ."""
    if mark.entity is not None:
        site = reading.site(mark.entity.domains)
        about = f"{mark.entity.name} · {type_name(mark.entity.type)}"
        if site is None:
            return tag("span", text(said), class_="rs-entity", title=about)
        return tag(
            "a",
            text(said),
            href=site,
            title=f"{about} · {web_links.display_host(site)}",
            class_="rs-entity",
            target="_blank",
            rel="noopener noreferrer",
        )
    agrees = mark.sign == "agrees"
    if here:
        meaning = t("research.sign_agrees_here") if agrees else t("research.sign_differs_here")
    else:
        meaning = t("research.sign_agrees") if agrees else t("research.sign_differs")
    return tag(
        "mark",
        tag("span", text("✓" if agrees else "≠"), class_="rs-sign", aria_hidden="true"),
        text(said),
        tag("span", text(f" ({meaning})"), class_="rs-hidden"),
        class_=f"rs-{mark.sign}",
        title=meaning,
    )


def entity_table(found: Sequence[EntityOut]) -> str:
    """Each entity with its name in the catalogue and in the text, its type, site and account."""
    columns = ("col_entity", "col_named", "col_type", "col_site", "col_account")
    return table(t("research.entities_caption"), columns, map(_entity_cells, found), tall=True)


def _entity_cells(one: EntityOut) -> list[str]:
    site = reading.site(one["official_domains"])
    account = reading.x_account(one["official_x_accounts"])
    there = entity_link(web_links.display_host(site), site) if site else text("–")
    on_x = entity_link(f"@{account}", f"https://x.com/{account}") if account else text("–")
    return [
        tag("th", tag("span", text(one["canonical_name"]), lang="en"), scope="row"),
        tag("td", tag("span", text(one["name"]), lang=detect_html_lang(one["name"]))),
        tag("td", text(type_name(one["type"]))),
        tag("td", there),
        tag("td", on_x),
    ]
