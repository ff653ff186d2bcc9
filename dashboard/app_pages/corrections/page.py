"""Shows the Corrections page: an article's corrections, a batch of articles, and stored findings."""

from dashboard.app_pages.corrections import layout
from dashboard.frame import freshness, head
from dashboard.frame.settings_menu import Shortcut
from dashboard.i18n import t

shortcuts = (Shortcut(("Ctrl + Enter",), t("frame.shortcut_submit")),)
head.render_head(t("corrections.title"), None, shortcuts=shortcuts)
layout.render_page()
freshness.render_footer(None)
