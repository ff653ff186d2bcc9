"""The market at a glance, and what is known of the figures themselves."""

from dashboard.app_pages.overview import layout
from dashboard.client import markets
from dashboard.frame import freshness, head, refresh
from dashboard.i18n import t

mode = markets.fetch_overview().mode
head.render_head(t("overview.title"), mode)
refresh.render_live(layout.body, key="overview")
freshness.render_footer(mode)
