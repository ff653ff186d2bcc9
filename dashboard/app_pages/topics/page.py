"""Shows the Topics page: the list of topics, and an opened topic with sources, insight and prices."""

from dashboard.app_pages.topics import layout
from dashboard.client import markets
from dashboard.frame import freshness, head
from dashboard.i18n import t

mode = markets.fetch_overview().mode
head.render_head(t("topics.title"), mode)
layout.render_page()
freshness.render_footer(mode)
