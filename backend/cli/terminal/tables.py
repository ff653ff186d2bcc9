"""Prints tables without truncating values.

A file or a pipe gets lines of any length. On a terminal text wraps. If a table is still too wide, optional
columns are hidden; if that is not enough, each row becomes a list of its values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from backend.cli.terminal.console import err, out
from backend.formats.plurals import format_count

COLUMN_GAP = 2
MIN_TEXT_WIDTH = 12
"""The width to which a text column may shrink before columns are hidden."""
ABSENT = "–"

Cell = str | Text | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``text`` wraps; ``number`` (right-aligned) and ``fixed`` (such as a timestamp) do not.

    If the terminal is too narrow, optional columns are hidden, starting with the last one.
    """

    title: str
    kind: Literal["text", "number", "fixed"] = "text"
    is_optional: bool = False


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], console: Console = out) -> None:
    """Print ``rows``. Cells are plain text, styled text, or None for unknown values."""
    cells = [[cell if isinstance(cell, Text) else Text(cell or ABSENT) for cell in row] for row in rows]
    widths = [_find_min_width(column, [row[i] for row in cells]) for i, column in enumerate(columns)]
    visible = list(range(len(columns)))
    for i in reversed(range(len(columns))):
        if columns[i].is_optional and _sum_widths(widths[j] for j in visible) > console.width:
            visible.remove(i)
    if _sum_widths(widths[i] for i in visible) > console.width:
        _print_rows_as_lists(columns, cells, console)
        return
    table = Table(box=None, padding=(0, COLUMN_GAP, 0, 0), pad_edge=False)
    for i in visible:
        column = columns[i]
        table.add_column(
            column.title,
            justify="right" if column.kind == "number" else "left",
            no_wrap=column.kind != "text",
            overflow="fold",
            min_width=widths[i],
        )
    for row in cells:
        table.add_row(*(row[i] for i in visible))
    console.print(table)
    if len(visible) < len(columns):
        hidden = ", ".join(column.title for i, column in enumerate(columns) if i not in visible)
        count = format_count(len(columns) - len(visible), "column")
        err.print(
            f"{count} hidden because the terminal is too narrow: {hidden}. Use --json to see all.",
            highlight=False,
        )


def _find_min_width(column: Column, cells: Sequence[Text]) -> int:
    longest = max((max(map(cell_len, cell.plain.split("\n"))) for cell in cells), default=0)
    if column.kind == "text":
        longest = min(longest, MIN_TEXT_WIDTH)
    return max(longest, cell_len(column.title))


def _sum_widths(widths: Iterable[int]) -> int:
    all_widths = list(widths)
    return sum(all_widths) + COLUMN_GAP * (len(all_widths) - 1)


def _print_rows_as_lists(columns: Sequence[Column], rows: Sequence[Sequence[Text]], console: Console) -> None:
    """Print each row as lines of title and value, with an empty line between rows."""
    for number, row in enumerate(rows):
        if number:
            console.print()
        for column, cell in zip(columns, row, strict=True):
            console.print(
                Text.assemble((f"{column.title}: ", "bold"), cell), overflow="fold", highlight=False
            )
