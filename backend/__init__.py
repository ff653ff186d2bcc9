"""The service, its worker and the command line."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (an installer checks this; a checkout is run by any Python)
    sys.stderr.write(f"chainproof: Python {sys.version.split()[0]} is too old; use Python 3.11 or newer.\n")
    sys.exit(3)
