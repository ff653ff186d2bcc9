"""Assigns the ids that name requests in responses and logs."""

import itertools
import re
import secrets

ACCEPTED_ID = re.compile(rb"[A-Za-z0-9._\-]{1,128}")


class RequestIds:
    """Ids from a random prefix and a counter: unique, cheap, and hard enough to guess for a log."""

    def __init__(self) -> None:
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    def assign(self, sent_id: bytes | None) -> bytes:
        """Return the id that the client sent if it is acceptable, else a new one."""
        if sent_id is not None and ACCEPTED_ID.fullmatch(sent_id):
            return sent_id
        return f"{self._prefix}-{next(self._numbers):x}".encode()
