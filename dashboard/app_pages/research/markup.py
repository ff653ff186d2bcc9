"""Builds markup that several parts of the Research page share."""

from collections.abc import Iterable, Sequence

from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

ENTITY_TYPES = (
    "asset", "stablecoin", "protocol", "exchange", "company", "regulator", "organization", "media",
    "data_provider", "person",
)  # fmt: skip


def get_type_name(code: str) -> str:
    """Returns an entity type in the reader's language; an unknown type unchanged."""
    return t(f"research.entity_{code}") if code in ENTITY_TYPES else code


def build_entity_link(name: str, site: str | None) -> str:
    """Builds an entity's name, linked to its site if it has one."""
    label = tag("span", text(name), lang="en")
    return label if site is None else tag("a", label, href=site, target="_blank", rel="noopener noreferrer")


def build_table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    lang: str | None = None,
    tall: bool = False,
) -> str:
    """Builds a table in a scrolling box. ``columns`` are text keys of the headers, ``rows`` hold markup."""
    head = "".join(tag("th", text(t(f"research.{name}")), scope="col") for name in columns)
    table = tag(
        "table",
        tag("caption", text(caption), class_="rs-hidden"),
        tag("thead", tag("tr", head)),
        tag("tbody", "".join(tag("tr", *cells) for cells in rows)),
        class_="rs-table",
        lang=lang,
    )
    box = "rs-scroll rs-tall" if tall else "rs-scroll"
    return tag("div", table, class_=box, tabindex="0", role="region", aria_label=caption)


def format_hundredths(seconds: float) -> str:
    """Formats seconds with two decimal places."""
    unit = {"en": " s", "ja": "秒", "zh": "秒"}[language()]
    return f"{seconds:.2f}{unit}"
