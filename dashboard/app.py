"""Applies preferences, builds the navigation and runs the page that the URL names."""

from pathlib import Path

import streamlit as st

from dashboard.client import connection
from dashboard.frame import account, head, preferences, url_state
from dashboard.frame.bottom_bar import render_bottom_bar
from dashboard.frame.search_palette import render_palette
from dashboard.i18n import t

IMAGES_FOLDER = Path(head.__file__).parent

st.set_page_config(page_title=t("frame.product"), page_icon=str(IMAGES_FOLDER / "favicon.svg"), layout="wide")
url_state.restore_last_query()
head.apply_preferences(preferences.load())
st.logo(str(IMAGES_FOLDER / "logo.svg"), size="medium")
pages = {
    "overview": st.Page(
        "app_pages/overview/page.py", title=t("overview.title"), url_path="overview", default=True
    ),
    "rankings": st.Page("app_pages/rankings/page.py", title=t("rankings.title"), url_path="rankings"),
    "topics": st.Page("app_pages/topics/page.py", title=t("topics.title"), url_path="topics"),
    "timelines": st.Page("app_pages/timelines/page.py", title=t("timelines.title"), url_path="timelines"),
    "corrections": st.Page(
        "app_pages/corrections/page.py", title=t("corrections.title"), url_path="corrections"
    ),
    "research": st.Page("app_pages/research/page.py", title=t("research.title"), url_path="research"),
}
page = st.navigation(list(pages.values()), position="top")
head.set_tab_title(page.title)
try:
    connection.get_client()
except connection.SettingsError as fault:
    st.error(t("frame.error_settings", detail=fault))
    st.stop()
if not account.require_sign_in():
    st.stop()
render_palette(pages)
render_bottom_bar(pages, page)
page.run()
