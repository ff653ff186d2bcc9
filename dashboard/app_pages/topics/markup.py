"""Pieces that several parts of the Topics page are made of."""

from dashboard.app_pages.topics import topic_text as reading
from dashboard.client import connection
from dashboard.frame import web_links
from dashboard.frame.markup import tag, text
from dashboard.i18n import t


def outlet(url: str) -> str:
    """Who tells it: a host, or this service's own market figures."""
    own = reading.own_page(url, str(connection.get_client().base_url))
    return t("topics.own_figures") if own is not None else web_links.display_host(url)


def link(said: str, url: str, *, lang: str | None = None) -> str:
    """A link to a source in a tab of its own; text alone where the address is none of the web."""
    own = reading.own_page(url, str(connection.get_client().base_url))
    if own is None and not web_links.is_web_url(url):
        return tag("span", text(said), lang=lang)
    return tag("a", text(said), href=own or url, target="_blank", rel="noopener noreferrer", lang=lang)
