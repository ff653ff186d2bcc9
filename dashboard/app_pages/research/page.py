"""Shows the Research page: sources and verdict of a statement, and the entities of a text."""

from dashboard.app_pages.research import layout
from dashboard.frame import freshness, head
from dashboard.frame.settings_menu import Shortcut
from dashboard.i18n import t

shortcuts = (Shortcut(("Ctrl + Enter",), t("frame.shortcut_submit")),)
head.render_head(t("research.title"), None, shortcuts=shortcuts)
layout.render_page()
freshness.render_footer(None)
