"""Shows the Timelines page: scores of model profiles, their changes and comparisons."""

from dashboard.app_pages.timelines import layout
from dashboard.frame import freshness, head
from dashboard.i18n import t

head.render_head(t("timelines.title"), None, layout.render_sample_label())
layout.render_page()
freshness.render_footer(None)
