"""The style sheet of all pages, which the document carries."""

from functools import cache
from pathlib import Path

_FRAME = Path(__file__).parent


@cache
def sheet() -> str:
    """The frame's style, then that of each page; components bring their own."""
    pages = sorted((_FRAME.parent / "app_pages").glob("*/*.css"))
    return "\n".join(file.read_text(encoding="utf-8") for file in (_FRAME / "frame.css", *pages))
