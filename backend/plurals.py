"""Writes numbers with their nouns: ``1 row``, ``2 rows``."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``number`` with separators and ``noun``, in the plural unless it is one.

    ``plural`` is given where it is not the noun and an s, as for ``entity``.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
