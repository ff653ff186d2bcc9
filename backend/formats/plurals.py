"""Writes numbers with their nouns: ``1 row``, ``2 rows``, ``10 seconds``."""


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """Format ``number`` with separators and ``noun``, in the plural unless the number is 1.

    Pass ``plural`` for irregular plurals, such as ``entities``.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def format_duration(seconds: int) -> str:
    """Format ``seconds`` in the largest unit that gives a whole number: ``90 seconds``, ``2 minutes``."""
    for unit_seconds, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= unit_seconds and seconds % unit_seconds == 0:
            return format_count(seconds // unit_seconds, unit)
    return format_count(seconds, "second")
