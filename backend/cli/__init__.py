"""Runs the ``chainproof`` program.

Exit codes: 0 success, 1 findings, 2 wrong usage, 3 a dependency failed, 130 interrupted.
"""

import os
import sys

from backend.cli.exit_codes import INTERRUPTED


def main() -> None:
    """Run the command that the arguments name.

    The commands are imported here, so that Ctrl-C during the imports ends the program without a traceback
    and ``--version`` needs no imports.
    """
    # Child processes start with "python -m" and "python -c", which import from the working directory first:
    # a folder named backend or a file typing.py there would replace ours.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        if sys.argv[1:] == ["--version"]:
            from backend.cli.version import print_version

            return print_version()
        # Otherwise the import of numpy starts a BLAS thread for each core, which takes a tenth of a program's
        # start. Our arrays are small, and requests and jobs already have threads.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # glibc gives each thread of a child process its own arena, up to eight for each core. An arena keeps
        # the most memory that its thread ever used. glibc reads this variable when a process starts.
        os.environ.setdefault("MALLOC_ARENA_MAX", "2")
        from backend.cli.commands import run

        run()
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        sys.exit(INTERRUPTED)
