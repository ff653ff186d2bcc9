"""Starts ``chainproof-scan``.

Its modules have the names of those of the whole product, which may stand in the same environment. So they are
in the folder ``modules``, into which this program alone looks, and first; worker processes get its
``sys.path``.
"""

import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).with_name("modules")))
    from backend.cli.scan_program import main as run

    run()
