"""How many examples a law gets."""

import hypothesis

EVERYDAY = 25
"""Examples of a law that says no number, in the profile that all runs have."""
QUICK = 5
"""The same in the profile ``quick``."""


def examples(number: int) -> int:
    """So many in every run, more in the profile ``thorough``, and fewer in ``quick``."""
    asked = hypothesis.settings().max_examples
    if asked < EVERYDAY:
        return min(asked, number)
    return asked if asked > EVERYDAY else number
