"""The ``chainproof`` program.

Exit codes: 0 done, 1 findings, 2 wrong use, 3 a dependency failed, 130 interrupted.
"""

import os
import sys

from backend.cli.exit_codes import INTERRUPTED


def main() -> None:
    """Run the command that the arguments name.

    The commands are imported here, so that Ctrl-C during the imports ends the program without a traceback
    and ``--version`` answers without them.
    """
    # Child processes start with "python -m" and "python -c", which import from the working directory first:
    # a folder named backend or a file typing.py there would replace ours.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        if sys.argv[1:] == ["--version"]:
            from backend.cli.version import print_version

            return print_version()
        # As numpy is imported, its algebra would start a thread for each core, which is a tenth of a
        # program's start; what is added up here is small, and threads of requests and jobs are there already.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # glibc gives each thread of a child process a heap of its own, up to eight for each core, and a heap
        # keeps the most that its thread ever held. It reads this when a process starts.
        os.environ.setdefault("MALLOC_ARENA_MAX", "2")
        from backend.cli.commands import run

        run()
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        sys.exit(INTERRUPTED)
