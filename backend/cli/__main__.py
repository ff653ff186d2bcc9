"""``python -m backend.cli``: the same as ``chainproof``."""

from backend.cli import main

main()
