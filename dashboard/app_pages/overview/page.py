"""Shows the Overview page: market totals, movers, and the quality of the data."""

from dashboard.app_pages.overview import layout
from dashboard.client import markets
from dashboard.frame import freshness, head, refresh, session_currency
from dashboard.i18n import t

mode = markets.fetch_overview().mode
head.render_head(t("overview.title"), mode)
session_currency.render_currency_offer()
refresh.render_live(layout.render_page, key="overview")
freshness.render_footer(mode)
