"""Passwords: Argon2id, at most two at a time in a process, and as long for nobody as for somebody."""

import base64
import secrets
import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from backend.errors import BadRequest, Unavailable

SHORTEST, LONGEST = 8, 1024
AT_ONCE = 2
"""Each takes 64 MiB and some 90 ms of a core: more at once would take the memory and time of answers."""
MOST_WAITING, PATIENCE_SECONDS = 8, 10.0
"""Those who wait hold a thread each, which other answers need too."""

hasher = PasswordHasher()
_turns = threading.BoundedSemaphore(AT_ONCE)
_places = threading.BoundedSemaphore(AT_ONCE + MOST_WAITING)


def check(password: str) -> str:
    """``password``, if it will do for a new one; raises :class:`BadRequest`."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadRequest(f"A password has {SHORTEST} to {LONGEST} characters.")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in password):
        raise BadRequest("A password holds no control characters.")
    return password


def hash_of(password: str) -> str:
    """The Argon2id hash of ``password``, salt and cost in it."""
    with _Turn():
        return hasher.hash(_plain(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Whether ``password`` is the one of the hash. Null is for nobody, and takes as long.

    Raises :class:`Unavailable` when too many wait before this one.
    """
    with _Turn():
        try:
            return hasher.verify(password_hash or _of_nobody(), _plain(password)[:LONGEST])
        except (VerificationError, InvalidHashError):
            return False


def is_outdated(password_hash: str) -> bool:
    """Whether the cost has been raised since the hash was made."""
    return hasher.check_needs_rehash(password_hash)


class _Turn:
    def __enter__(self) -> None:
        if not _places.acquire(blocking=False):
            raise _busy()
        if not _turns.acquire(timeout=PATIENCE_SECONDS):
            _places.release()
            raise _busy()

    def __exit__(self, *_: object) -> None:
        _turns.release()
        _places.release()


def _busy() -> Unavailable:
    return Unavailable("Too many sign in at this moment. Please try again shortly.")


def _plain(password: str) -> str:
    """In one form of Unicode: keyboards differ in how they compose a character."""
    return unicodedata.normalize("NFKC", password)


def _of_nobody() -> str:
    """A hash of the present cost that no password has, since it is random."""

    def encoded(length: int) -> str:
        return base64.b64encode(secrets.token_bytes(length)).decode().rstrip("=")

    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${encoded(hasher.salt_len)}${encoded(hasher.hash_len)}"
