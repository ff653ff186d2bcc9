"""Shows the Corrections page: an article's corrections, a batch of articles, and stored findings."""

from dashboard.app_pages.corrections import layout
from dashboard.frame import freshness, head
from dashboard.i18n import t

head.render_head(t("corrections.title"), None)
layout.render_page()
freshness.render_footer(None)
