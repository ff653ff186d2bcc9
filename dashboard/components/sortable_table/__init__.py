"""Draws a table that is sorted in the browser, with rows that can open something."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from dashboard.components.registration import ignore_trigger, load_component

__all__ = ["Cell", "Column", "sortable_table"]

_FOLDER = Path(__file__).parent
ROWS_PER_PART = 100
"""Number of rows drawn at once; a button draws the next ones."""


class Column(NamedTuple):
    """``kind`` is ``text``, ``number`` or ``wide`` (a text that gets the remaining width)."""

    label: str
    kind: str = "text"
    hint: str = ""


class Cell(NamedTuple):
    """A cell's ``text``; ``order`` replaces it as the sort key; ``tone`` is a severity or empty."""

    text: str
    order: float | str | None = None
    tone: str = ""
    lang: str | None = None


def sortable_table(
    columns: Sequence[Column],
    rows: Sequence[tuple[str, Sequence[Cell]]],
    *,
    key: str,
    caption: str,
    more: str,
    opens: int | None = None,
    on_open: Callable[[], None] | None = None,
) -> Any:
    """Draw ``rows``, each an id and its cells. ``opens`` is the index of the column with the row's button.

    ``more`` is the label of the button for more rows, with ``{n}``. The id of an opened row arrives as the
    trigger ``open``.
    """
    data = {
        "caption": caption,
        "more": more,
        "part": ROWS_PER_PART,
        "opens": opens,
        "columns": [column._asdict() for column in columns],
        "rows": [[row, [list(cell) for cell in cells]] for row, cells in rows],
    }
    return load_component(_FOLDER, "sortable_table")(
        key=key, data=orjson.dumps(data), on_open_change=on_open or ignore_trigger
    )
