"""Topics: what matters now in three languages, who tells it, what it means, and the price around it."""

from dashboard.app_pages.topics import layout
from dashboard.client import markets
from dashboard.frame import freshness, head
from dashboard.i18n import t

mode = markets.fetch_overview().mode
head.render_head(t("topics.title"), mode)
layout.page()
freshness.render_footer(mode)
