"""Rankings: every configured asset in one live table, with a panel, a treemap and comparisons."""

from dashboard.client import api
from dashboard.components import chart
from dashboard.i18n import t
from dashboard.views import freshness, rank_board, refresh, shell

shell.head(t("rankings.title"), api.prices().mode)
refresh.live(rank_board.board, key="rk_board")
chart.prepare()
freshness.footer(api.prices().mode)
