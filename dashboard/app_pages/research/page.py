"""Shows the Research page: sources and verdict of a statement, and the entities of a text."""

from dashboard.app_pages.research import layout
from dashboard.frame import freshness, head
from dashboard.i18n import t

head.render_head(t("research.title"), None)
layout.render_page()
freshness.render_footer(None)
