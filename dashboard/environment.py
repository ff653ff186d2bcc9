"""What this process's settings come from."""

import os


def environment() -> tuple[tuple[str, str], ...]:
    """The settings' variables, to be compared with what they were when something was made of them."""
    return tuple(
        sorted((name, value) for name, value in os.environ.items() if name.startswith("CHAINPROOF_"))
    )
