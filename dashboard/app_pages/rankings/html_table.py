"""A small table of figures as HTML, for anyone to read or copy from."""

from collections.abc import Sequence
from html import escape


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """First column are row headers; all text is escaped."""
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
