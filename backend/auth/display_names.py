"""Validates the names that people give to keys and applications."""

import unicodedata

from backend.errors import BadRequest

MAX_NAME_CHARS = 100


def validate_name(name: str, owner: str) -> str:
    """Return ``name`` without surrounding blanks; raises :class:`BadRequest`.

    ``owner`` is the named object as the error text calls it, such as "a key".
    """
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME_CHARS:
        raise BadRequest(f"The name of {owner} has 1 to {MAX_NAME_CHARS} characters.")
    # Some stores refuse control characters, lone surrogates and line separators, and they break tables.
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        raise BadRequest(f"The name of {owner} may not hold control characters.")
    return name
