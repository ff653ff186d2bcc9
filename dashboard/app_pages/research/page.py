"""Research: where a statement comes from and whether it holds, and whom a text speaks of."""

from dashboard.app_pages.research import layout
from dashboard.frame import freshness, head
from dashboard.i18n import t

head.render_head(t("research.title"), None)
layout.page()
freshness.render_footer(None)
