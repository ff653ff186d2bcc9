"""Runs the ``chainproof-scan`` program: applies naming rules to files, without the rest of Chainproof.

Exit codes: 0 success, 1 findings, 2 wrong usage, 3 a dependency failed, 130 interrupted.
"""

import gc
import os
import sys

from backend.cli.exit_codes import INTERRUPTED

HELP_EPILOG = "Your own naming rules: chainproof-scan rules --help. The version: chainproof-scan --version."


def main() -> None:
    """Run ``rules`` or ``scan``, which is the default.

    The commands are imported here, so that ``--version`` needs no imports.
    """
    os.environ["PYTHONSAFEPATH"] = "1"  # worker processes import nothing from the scanned folder
    arguments = sys.argv[1:]
    try:
        if arguments == ["--version"]:
            from backend.cli.version import print_version

            print_version()
        elif arguments[:1] == ["rules"]:
            from backend.cli import rules_check

            rules_check.app(arguments[1:], prog_name="chainproof-scan rules")
        else:
            from backend.runtime import garbage_collection

            with (
                garbage_collection.making_what_stays()
            ):  # a collection of these objects takes as long as a small scan
                import typer

                from backend.cli.scan import scan

            app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
            app.command(epilog=HELP_EPILOG)(scan)
            app(arguments[1:] if arguments[:1] == ["scan"] else arguments, prog_name="chainproof-scan")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        gc.freeze()  # otherwise a collection of all rules at exit takes as long as a small scan
