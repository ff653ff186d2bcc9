"""Corrections: an article's names put right, many articles at once, and what was found so far."""

from dashboard.app_pages.corrections import layout
from dashboard.frame import freshness, head
from dashboard.i18n import t

head.render_head(t("corrections.title"), None)
layout.page()
freshness.render_footer(None)
