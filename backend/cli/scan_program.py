"""The ``chainproof-scan`` program: naming rules over files, without the rest of Chainproof.

Exit codes: 0 done, 1 findings, 2 wrong use, 3 a dependency failed, 130 interrupted.
"""

import gc
import os
import sys

from backend.cli.exit_codes import INTERRUPTED

HELP_EPILOG = "Your own naming rules: chainproof-scan rules --help. The version: chainproof-scan --version."


def main() -> None:
    """Run ``scan``, which need not be named, or ``rules``.

    The commands are imported here, so that ``--version`` answers without them.
    """
    os.environ["PYTHONSAFEPATH"] = "1"  # worker processes import nothing from the folder that is scanned
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
            ):  # walking over it at the end would take as long as a small scan
                import typer

                from backend.cli.scan import scan

            app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
            app.command(epilog=HELP_EPILOG)(scan)
            app(arguments[1:] if arguments[:1] == ["scan"] else arguments, prog_name="chainproof-scan")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        gc.freeze()  # or Python walks over all rules before it ends, which takes as long as a small scan
