"""Names what the dashboard uses of Streamlit beyond its documented interface.

Any version of Streamlit may rename these. Nothing raises then: a page only loses a style or waits for ever.
A test therefore looks for each name in the installed version, and for any other in our styles and scripts.
"""

TITLE = b"<title>Streamlit</title>"
"""In Streamlit's document, once."""
MARKERS = (
    "stApp",
    "stBaseButton",
    "stColumn",
    "stElementContainer",
    "stHtml",
    "stMainBlockContainer",
    "stPopoverBody",
    "stSkeleton",
    "data-test-script-state",
    "notRunning",
    "st-key-",
)
"""Classes and attributes of the elements in Streamlit's frontend, for styles and scripts."""
