"""What the commands that import files have in common: a bar while they work, and the mistakes told."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape

from backend.cli.terminal.console import complain, err
from backend.formats.plurals import counted


@contextmanager
def progress(files: Sequence[Path], *, shown: bool) -> Iterator[Callable[[Path, int], None]]:
    """A bar on standard error over the bytes to store, where somebody is watching.

    Gives what is to be called with a file and how many bytes of it are done since the last call.
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


def tell_mistakes(mistakes: Sequence[object], in_all: int) -> None:
    """Each of ``mistakes`` on standard error, and how many more there are."""
    for mistake in mistakes:
        complain(str(mistake))
    left = in_all - len(mistakes)
    if left:
        complain(f"and {counted(left, 'more mistake')}.")
