"""Reads the preference ``wait`` of the ``Prefer`` header (RFC 7240)."""

import re
from collections.abc import Iterable
from typing import Annotated

from fastapi import Header

_WAIT = re.compile(r'wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))', re.ASCII | re.IGNORECASE)

PreferWait = Annotated[
    str | None,
    Header(
        alias="Prefer",
        description="`wait=N`: answer when the job has ended, or after N seconds with its present state "
        "(RFC 7240). `Preference-Applied` says how long this may wait.",
    ),
]
"""Describes the header in the OpenAPI document. :func:`parse_wait` reads it, since it may be repeated."""


def parse_wait(lines: Iterable[str]) -> int | None:
    """Return the seconds that a client is willing to wait; None without the preference.

    The first one counts. What cannot be read is ignored, as the RFC demands.
    """
    for part in ",".join(lines).split(","):
        preference = part.partition(";")[0].strip()
        if preference.partition("=")[0].strip().lower() == "wait":
            found = _WAIT.fullmatch(preference)
            return None if found is None else int(found[1] or found[2])
    return None
