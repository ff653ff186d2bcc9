"""Prints tables in which no value is ever cut.

A file or a pipe gets lines as long as they need to be. On a terminal text wraps; where there is still no
room, columns that can be spared are left out, and at last each row becomes a list of its values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from backend.cli.terminal.console import err, out
from backend.formats.plurals import counted

GAP = 2
NARROWEST_TEXT = 12
"""Cells to which a column of text may shrink before columns are left out."""
ABSENT = "–"

Cell = str | Text | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``text`` wraps; ``number``, aligned to the right, and ``fixed``, as an instant, never do.

    Columns that are ``spare`` are left out where the terminal is too narrow, the last one first.
    """

    title: str
    kind: Literal["text", "number", "fixed"] = "text"
    spare: bool = False


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], console: Console = out) -> None:
    """Print ``rows``, whose cells are plain text, styled text, or null for what is not known."""
    cells = [[cell if isinstance(cell, Text) else Text(cell or ABSENT) for cell in row] for row in rows]
    widths = [_least_width(column, [row[i] for row in cells]) for i, column in enumerate(columns)]
    shown = list(range(len(columns)))
    for i in reversed(range(len(columns))):
        if columns[i].spare and _total(widths[j] for j in shown) > console.width:
            shown.remove(i)
    if _total(widths[i] for i in shown) > console.width:
        _print_rows_as_lists(columns, cells, console)
        return
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False)
    for i in shown:
        column = columns[i]
        table.add_column(
            column.title,
            justify="right" if column.kind == "number" else "left",
            no_wrap=column.kind != "text",
            overflow="fold",
            min_width=widths[i],
        )
    for row in cells:
        table.add_row(*(row[i] for i in shown))
    console.print(table)
    if len(shown) < len(columns):
        left_out = ", ".join(column.title for i, column in enumerate(columns) if i not in shown)
        many = counted(len(columns) - len(shown), "column")
        err.print(f"{many} left out for lack of room: {left_out}. --json has all.", highlight=False)


def _least_width(column: Column, cells: Sequence[Text]) -> int:
    longest = max((max(map(cell_len, cell.plain.split("\n"))) for cell in cells), default=0)
    if column.kind == "text":
        longest = min(longest, NARROWEST_TEXT)
    return max(longest, cell_len(column.title))


def _total(widths: Iterable[int]) -> int:
    found = list(widths)
    return sum(found) + GAP * (len(found) - 1)


def _print_rows_as_lists(columns: Sequence[Column], rows: Sequence[Sequence[Text]], console: Console) -> None:
    """Each row as lines of a title and a value, with an empty line between rows."""
    for number, row in enumerate(rows):
        if number:
            console.print()
        for column, cell in zip(columns, row, strict=True):
            console.print(
                Text.assemble((f"{column.title}: ", "bold"), cell), overflow="fold", highlight=False
            )
