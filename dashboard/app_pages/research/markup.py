"""Pieces of markup that several parts of the Research page are made of."""

from collections.abc import Iterable, Sequence

from dashboard.frame.markup import tag, text
from dashboard.i18n import language, t

ENTITY_TYPES = (
    "asset", "stablecoin", "protocol", "exchange", "company", "regulator", "organization", "media",
    "data_provider", "person",
)  # fmt: skip


def type_name(code: str) -> str:
    """An entity's type in the reader's language; one that this page does not know as it is."""
    return t(f"research.entity_{code}") if code in ENTITY_TYPES else code


def entity_link(name: str, site: str | None) -> str:
    """The name, linked to the entity's own site where it has one."""
    named = tag("span", text(name), lang="en")
    return named if site is None else tag("a", named, href=site, target="_blank", rel="noopener noreferrer")


def table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    lang: str | None = None,
    tall: bool = False,
) -> str:
    """A table that scrolls within its box: ``columns`` are keys of their heads, ``rows`` hold ready cells."""
    head = "".join(tag("th", text(t(f"research.{name}")), scope="col") for name in columns)
    whole = tag(
        "table",
        tag("caption", text(caption), class_="rs-hidden"),
        tag("thead", tag("tr", head)),
        tag("tbody", "".join(tag("tr", *cells) for cells in rows)),
        class_="rs-table",
        lang=lang,
    )
    box = "rs-scroll rs-tall" if tall else "rs-scroll"
    return tag("div", whole, class_=box, tabindex="0", role="region", aria_label=caption)


def hundredths(seconds: float) -> str:
    """A time in seconds with two decimal places."""
    unit = {"en": " s", "ja": "秒", "zh": "秒"}[language()]
    return f"{seconds:.2f}{unit}"
