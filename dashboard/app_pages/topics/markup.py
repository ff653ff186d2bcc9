"""Renders links to sources and their names for the sections of the Topics page."""

from dashboard.app_pages.topics import links
from dashboard.client import connection
from dashboard.frame import web_links
from dashboard.frame.markup import tag, text
from dashboard.i18n import t


def name_source(url: str) -> str:
    """Name the source of a URL: its host, or the label of this service's market figures."""
    return t("topics.own_figures") if _find_own_page(url) is not None else web_links.display_host(url)


def name_page(url: str) -> str:
    """Name a page without a title: its host and path, or the label of this service's market figures."""
    return t("topics.own_figures") if _find_own_page(url) is not None else links.shorten_url(url)


def render_source_link(label: str, url: str, *, lang: str | None = None) -> str:
    """Render a link to a source that opens in a new tab; plain text if the URL is not a web URL."""
    page_url = _find_own_page(url)
    if page_url is None and not web_links.is_web_url(url):
        return tag("span", text(label), lang=lang)
    return tag("a", text(label), href=page_url or url, target="_blank", rel="noopener noreferrer", lang=lang)


def _find_own_page(url: str) -> str | None:
    return links.find_dashboard_page(url, str(connection.get_client().base_url))
