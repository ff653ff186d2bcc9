"""Builds the style sheet of all pages for the document's head."""

from functools import cache
from pathlib import Path

from dashboard.frame import widget_state

_FRAME = Path(__file__).parent


@cache
def build_style_sheet() -> str:
    """Joins the CSS of the frame and of each page. Components have their own style sheets."""
    pages = sorted((_FRAME.parent / "app_pages").glob("*/*.css"))
    files = (
        _FRAME / "frame.css",
        _FRAME / "bottom_bar.css",
        _FRAME / "search_palette" / "palette.css",
        *pages,
    )
    return "\n".join(
        [*(file.read_text(encoding="utf-8") for file in files), widget_state.build_stale_widget_css()]
    )
