"""Names that people give to keys and applications."""

import unicodedata

from backend.errors import BadRequest

LONGEST = 100


def checked_name(name: str, of: str) -> str:
    """``name`` without blanks around it; raises :class:`BadRequest`. ``of`` says in words what it names."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST:
        raise BadRequest(f"The name of {of} has 1 to {LONGEST} characters.")
    # Control characters, lone surrogates and line separators: not storable everywhere, or they break a table.
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        raise BadRequest(f"The name of {of} may not hold control characters.")
    return name
