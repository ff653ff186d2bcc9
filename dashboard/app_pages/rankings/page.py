"""Shows the Rankings page: a live table of all assets, a coin panel, a treemap and comparisons."""

from dashboard.app_pages.rankings import data, layout
from dashboard.charts import plotly_chart
from dashboard.client import markets
from dashboard.frame import freshness, head, refresh, session_currency
from dashboard.frame.settings_menu import Shortcut
from dashboard.i18n import t

shortcuts = [Shortcut(keys, t(f"rankings.{effect}")) for keys, effect in data.KEY_HELP]
head.render_head(t("rankings.title"), markets.fetch_prices().mode, shortcuts=shortcuts)
session_currency.render_currency_offer()
refresh.render_live(layout.render_page, key="rk_board")
plotly_chart.preload_library()
freshness.render_footer(markets.fetch_prices().mode)
