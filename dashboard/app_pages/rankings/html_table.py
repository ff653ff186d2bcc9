"""Builds a small HTML table of figures."""

from collections.abc import Sequence
from html import escape


def build_html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Builds a table with row headers in the first column; all text is escaped."""
    cells = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<table class="cp-table"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
    )
