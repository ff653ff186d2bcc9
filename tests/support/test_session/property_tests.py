"""Sets the number of examples of property-based tests."""

import hypothesis

EVERYDAY = 25
"""The default number of examples, in the default profile."""
QUICK = 5
"""The default number of examples in the profile ``quick``."""


def examples(number: int) -> int:
    """Return ``number`` in the default profile, more in ``thorough`` and fewer in ``quick``."""
    profile_examples = hypothesis.settings().max_examples
    if profile_examples < EVERYDAY:
        return min(profile_examples, number)
    return profile_examples if profile_examples > EVERYDAY else number
