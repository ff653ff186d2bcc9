"""What names a request in its answer and in the logs."""

import itertools
import re
import secrets

SANE_ID = re.compile(rb"[A-Za-z0-9._\-]{1,128}")


class RequestIds:
    """Process-unique, unguessable enough for a log, and cheap: a random prefix and a counter."""

    def __init__(self) -> None:
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    def take(self, sent: bytes | None) -> bytes:
        if sent is not None and SANE_ID.fullmatch(sent):
            return sent
        return f"{self._prefix}-{next(self._numbers):x}".encode()
