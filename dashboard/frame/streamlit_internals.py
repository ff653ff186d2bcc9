"""Lists the undocumented names of Streamlit that the dashboard relies on.

Any version of Streamlit may rename them. That raises no error: a page loses a style or waits forever.
A test therefore finds each name in the installed version, and no other such name in our styles and scripts.
"""

TITLE = b"<title>Streamlit</title>"
"""Occurs once in Streamlit's document."""
MARKERS = (
    "stApp",
    "stBaseButton",
    "stColumn",
    "stElementContainer",
    "stHtml",
    "stMainBlockContainer",
    "stPopoverBody",
    "data-test-script-state",
    "notRunning",
    "st-key-",
)
"""Classes and attributes of elements in Streamlit's frontend, used by styles and scripts."""
