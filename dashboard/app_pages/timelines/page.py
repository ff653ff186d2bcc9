"""Timelines: which model profile scores better, since when, on which cases, and how sure that is."""

from dashboard.app_pages.timelines import layout
from dashboard.frame import freshness, head
from dashboard.i18n import t

head.head(t("timelines.title"), None, layout.label())
layout.page()
freshness.render_footer(None)
