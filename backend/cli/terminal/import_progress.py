"""Shows progress and prints errors for the commands that import files."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape

from backend.cli.terminal.console import err, print_error
from backend.formats.plurals import format_count


@contextmanager
def show_progress(files: Sequence[Path], *, shown: bool) -> Iterator[Callable[[Path, int], None]]:
    """Show a progress bar of the imported bytes on standard error, if that is a terminal.

    Yields a function to call with a file and the number of its bytes that were imported since the last call.
    """
    if not (shown and sys.stderr.isatty()):
        yield lambda _path, _bytes: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    total = sum(path.stat().st_size for path in files if path.is_file()) or None
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("Importing", total=total)
        yield lambda path, size: bar.update(task, advance=size, description=escape(path.name))


def print_errors(errors: Sequence[object], total: int) -> None:
    """Print ``errors`` to standard error, and the number of those that are not listed."""
    for error in errors:
        print_error(str(error))
    unlisted = total - len(errors)
    if unlisted:
        print_error(f"and {format_count(unlisted, 'more error')}.")
