"""The table behind a drawing, as HTML: what a screen reader reads and anyone can copy from."""

from collections.abc import Sequence
from html import escape


def html_table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, visible: bool = False
) -> str:
    """First column are row headers; all text is escaped. ``visible`` shows the caption too."""
    cells = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    hidden = "" if visible else ' class="rk-sr"'
    return (
        f'<table class="rk-table"><caption{hidden}>{escape(caption)}</caption>'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
    )


def folded(summary: str, table: str) -> str:
    """``table`` behind a line to press, scrolling within itself."""
    return (
        f'<details class="rk-fold"><summary>{escape(summary)}</summary>'
        f'<div class="rk-scroll" tabindex="0" role="region" aria-label="{escape(summary)}">{table}</div>'
        "</details>"
    )
