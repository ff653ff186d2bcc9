"""The exit codes of the programs, besides 0 for done."""

FINDINGS = 1
"""Something was found that the command looked for."""
WRONG_USAGE = 2
DEPENDENCY_FAILED = 3
"""Something that the command needs failed: the store, a port, a file, another host."""
INTERRUPTED = 130
"""After Ctrl-C: 128 and the number of SIGINT, as shells have it."""
