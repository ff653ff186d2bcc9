"""The dashboard's frame: preferences, navigation, style; then the page that the address names."""

import streamlit as st

from dashboard.client import api
from dashboard.frame import account, head, preferences
from dashboard.i18n import t

st.set_page_config(
    page_title=t("frame.product"), page_icon=str(head.ASSETS / "favicon.svg"), layout="wide", menu_items={}
)
chosen = preferences.load()
head.frame(chosen)
st.logo(str(head.ASSETS / "logo.svg"), size="medium")
page = st.navigation(
    [
        st.Page("app_pages/overview.py", title=t("frame.nav_overview"), default=True),
        st.Page("app_pages/rankings.py", title=t("frame.nav_rankings"), url_path="rankings"),
        st.Page("app_pages/topics.py", title=t("topics.nav"), url_path="topics"),
        st.Page("app_pages/timelines.py", title=t("timelines.nav"), url_path="timelines"),
        st.Page("app_pages/corrections.py", title=t("frame.nav_corrections"), url_path="corrections"),
        st.Page("app_pages/research.py", title=t("research.title"), url_path="research"),
    ],
    position="top",
)
st.set_page_config(page_title=f"{page.title} · {t('frame.product')}")
try:
    api.client()
except api.SettingsError as fault:
    st.error(t("frame.error_settings", detail=fault))
    st.stop()
if not account.is_let_in():
    st.stop()
page.run()
