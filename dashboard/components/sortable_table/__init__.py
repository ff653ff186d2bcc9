"""A table whose rows open something: sorted in the browser, a part of its rows at a time."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from dashboard.components.registration import load_component

__all__ = ["Cell", "Column", "ledger"]

_ROOM = Path(__file__).parent
PART = 100
"""Rows drawn at once; the rest follows when it is asked for."""


class Column(NamedTuple):
    """``kind`` is ``text``, ``number`` or ``wide`` (the text that gets the room that is left)."""

    label: str
    kind: str = "text"
    hint: str = ""


class Cell(NamedTuple):
    """``text`` as it is shown; ``order`` sorts, where the text does not; ``tone`` is a severity or empty."""

    text: str
    order: float | str | None = None
    tone: str = ""
    lang: str | None = None


def ledger(
    columns: Sequence[Column],
    rows: Sequence[tuple[str, Sequence[Cell]]],
    *,
    key: str,
    caption: str,
    more: str,
    opens: int | None = None,
    on_open: Callable[[], None] | None = None,
) -> Any:
    """Draw ``rows``, each an id and its cells. ``opens`` is the column whose text is the row's button.

    ``more`` is the text of the button for further rows, with ``{n}``. The id of an opened row arrives as
    trigger ``open``.
    """
    data = {
        "caption": caption,
        "more": more,
        "part": PART,
        "opens": opens,
        "columns": [column._asdict() for column in columns],
        "rows": [[row, [list(cell) for cell in cells]] for row, cells in rows],
    }
    return load_component(_ROOM, "sortable_table")(
        key=key, data=orjson.dumps(data), on_open_change=on_open or _nothing
    )


def _nothing() -> None:
    """A trigger is only sent for callbacks that exist."""
