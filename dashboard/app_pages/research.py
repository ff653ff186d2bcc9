"""Research: where a statement comes from and whether it holds, and whom a text speaks of."""

from dashboard.i18n import t
from dashboard.views import freshness, research_page, shell

shell.head(t("research.title"), None)
research_page.page()
freshness.footer(None)
