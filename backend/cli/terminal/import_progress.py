"""Shows progress and prints errors for the commands that import files."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape

from backend.cli.terminal.console import err, print_error
from backend.formats.file_errors import ImportErrors


@contextmanager
def show_progress(files: Sequence[Path], *, is_enabled: bool) -> Iterator[Callable[[Path, int], None]]:
    """Show a progress bar of the imported bytes on standard error, if that is a terminal.

    Yields a function to call with a file and the number of its bytes that were imported since the last call.
    """
    if not (is_enabled and sys.stderr.isatty()):
        yield lambda _path, _bytes: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    total = sum(path.stat().st_size for path in files if path.is_file()) or None
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("Importing", total=total)
        yield lambda path, size: bar.update(task, advance=size, description=escape(path.name))


def print_errors(found: ImportErrors) -> None:
    """Print the errors of an import to standard error, each cause once."""
    for sentence in found.format_errors():
        print_error(sentence)
