"""Topics: what matters now in three languages, who tells it, what it means, and the price around it."""

from dashboard.client import api
from dashboard.i18n import t
from dashboard.views import freshness, shell, topics_page

mode = api.overview().mode
shell.head(t("topics.nav"), mode)
topics_page.page()
freshness.footer(mode)
