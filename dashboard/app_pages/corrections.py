"""Corrections: an article's names put right, many articles at once, and what was found so far."""

from dashboard.i18n import t
from dashboard.views import corrections_page, freshness, shell

shell.head(t("corrections.title"), None)
corrections_page.page()
freshness.footer(None)
