"""Shows the Topics page: the list of topics, and an opened topic with sources, insight and prices."""

from dashboard.app_pages.topics import layout
from dashboard.client import markets
from dashboard.frame import freshness, head
from dashboard.frame.settings_menu import Shortcut
from dashboard.i18n import t

mode = markets.fetch_overview().mode
shortcuts = (
    Shortcut(("j", "k", "↑", "↓"), t("topics.key_move")),
    Shortcut(("Enter",), t("topics.key_open")),
    Shortcut(("Esc",), t("topics.key_close")),
)
head.render_head(t("topics.title"), mode, shortcuts=shortcuts)
layout.render_page()
freshness.render_footer(mode)
