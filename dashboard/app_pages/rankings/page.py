"""Rankings: every configured asset in one live table, with a panel, a treemap and comparisons."""

from dashboard.app_pages.rankings import layout
from dashboard.charts import plotly_chart
from dashboard.client import markets
from dashboard.frame import freshness, head, refresh
from dashboard.i18n import t

head.render_head(t("rankings.title"), markets.fetch_prices().mode)
refresh.render_live(layout.board, key="rk_board")
plotly_chart.preload_library()
freshness.render_footer(markets.fetch_prices().mode)
