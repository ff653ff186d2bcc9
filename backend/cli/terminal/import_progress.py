"""Shows progress and prints mistakes for the commands that import files."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape

from backend.cli.terminal.console import err, print_error
from backend.formats.plurals import counted


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


def print_mistakes(mistakes: Sequence[object], total: int) -> None:
    """Print ``mistakes`` to standard error, and the number of those that are not listed."""
    for mistake in mistakes:
        print_error(str(mistake))
    unlisted = total - len(mistakes)
    if unlisted:
        print_error(f"and {counted(unlisted, 'more mistake')}.")
