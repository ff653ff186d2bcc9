"""Lists the undocumented names of Streamlit that the dashboard relies on, and reads the id of a page.

Any version of Streamlit may rename them. That raises no error: a page loses a style or waits forever.
A test therefore finds each name in the installed version, and no other such name in our styles and scripts.
"""

from streamlit.navigation.page import StreamlitPage

TITLE = b"<title>Streamlit</title>"
"""Occurs once in Streamlit's document."""
MARKERS = (
    "InputInstructions",
    "InputRootElement",
    "stActiveTheme",
    "stApp",
    "stBaseButton",
    "stColumn",
    "stDateInput",
    "stDialog",
    "stElementContainer",
    "stExpander",
    "stExpandSidebarButton",
    "stHtml",
    "stIconMaterial",
    "stMain",
    "stMainBlockContainer",
    "stMultiSelectTagsContainer",
    "stNumberInput",
    "stNumberInputContainer",
    "stPopoverBody",
    "stPopoverButton",
    "stSelectbox",
    "stSidebarNavLink",
    "stSkeleton",
    "stTabs",
    "stTopNavLink",
    "segmented_control",
    "data-stale",
    "data-test-connection-state",
    "CONNECTED",
    "data-test-script-state",
    "notRunning",
    "rerunRequested",
    "st-key-",
    "(prefers-color-scheme: dark)",
    "__streamlit",
    "BACKEND_BASE_URL",
    "popstate",
)
"""Classes, attributes, their values, stored keys and events of Streamlit's frontend, used by us."""


def get_page_id(page: StreamlitPage) -> str:
    """Returns the id by which a script run names its page."""
    return page._script_hash
