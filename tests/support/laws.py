"""How many examples a law gets."""

import hypothesis

EVERYDAY = 25
"""Examples of a law that says no number, in the profile that all runs have."""


def examples(number: int) -> int:
    """So many in every run, and as many as the profile asks for if that is more than every day's."""
    asked = hypothesis.settings().max_examples
    return asked if asked > EVERYDAY else number
