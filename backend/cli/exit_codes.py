"""Defines the exit codes of the programs, except 0 for success."""

FINDINGS = 1
"""The command found problems of the kind that it checks."""
WRONG_USAGE = 2
DEPENDENCY_FAILED = 3
"""The store, a port, a file or another host that the command needs failed."""
INTERRUPTED = 130
"""After Ctrl-C: 128 plus the number of SIGINT, as in shells."""
