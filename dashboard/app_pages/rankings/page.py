"""Shows the Rankings page: a live table of all assets, a coin panel, a treemap and comparisons."""

from dashboard.app_pages.rankings import layout
from dashboard.charts import plotly_chart
from dashboard.client import markets
from dashboard.frame import freshness, head, refresh
from dashboard.i18n import t

head.render_head(t("rankings.title"), markets.fetch_prices().mode)
refresh.render_live(layout.render_page, key="rk_board")
plotly_chart.preload_library()
freshness.render_footer(markets.fetch_prices().mode)
