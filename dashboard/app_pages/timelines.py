"""Timelines: which model profile scores better, since when, on which cases, and how sure that is."""

from dashboard.i18n import t
from dashboard.views import freshness, shell, timelines_page

shell.head(t("timelines.nav"), None, timelines_page.label())
timelines_page.page()
freshness.footer(None)
