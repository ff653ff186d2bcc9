"""Hashes and verifies passwords with Argon2id, two at a time and in equal time for unknown accounts."""

import base64
import secrets
import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from backend.errors import BadRequest, Unavailable

MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS = 8, 1024
MAX_CONCURRENT_HASHES = 2
"""Each hash takes 64 MiB and some 90 ms of a core; more would take memory and time from other requests."""
MAX_WAITING_THREADS, WAIT_TIMEOUT_SECONDS = 8, 10.0
"""Each waiting request holds a thread, which other requests need too."""

hasher = PasswordHasher()
_hash_slots = threading.BoundedSemaphore(MAX_CONCURRENT_HASHES)
_queue_places = threading.BoundedSemaphore(MAX_CONCURRENT_HASHES + MAX_WAITING_THREADS)


def validate(password: str) -> str:
    """Return ``password`` if it is allowed as a new one; raises :class:`BadRequest`."""
    if not MIN_PASSWORD_CHARS <= len(password) <= MAX_PASSWORD_CHARS:
        raise BadRequest(f"A password has {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters.")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in password):
        raise BadRequest("A password holds no control characters.")
    return password


def hash_password(password: str) -> str:
    """Compute the Argon2id hash of ``password``, which includes salt and cost."""
    with _HashSlot():
        return hasher.hash(_normalize(password))


def matches(password_hash: str | None, password: str) -> bool:
    """Whether ``password`` matches the hash. A null hash never matches and takes the same time.

    Raises :class:`Unavailable` when too many requests wait.
    """
    with _HashSlot():
        try:
            return hasher.verify(
                password_hash or _build_random_hash(), _normalize(password)[:MAX_PASSWORD_CHARS]
            )
        except (VerificationError, InvalidHashError):
            return False


def is_outdated(password_hash: str) -> bool:
    """Whether the hash was made with other cost parameters than the present ones."""
    return hasher.check_needs_rehash(password_hash)


class _HashSlot:
    def __enter__(self) -> None:
        if not _queue_places.acquire(blocking=False):
            raise _build_overload_error()
        if not _hash_slots.acquire(timeout=WAIT_TIMEOUT_SECONDS):
            _queue_places.release()
            raise _build_overload_error()

    def __exit__(self, *_: object) -> None:
        _hash_slots.release()
        _queue_places.release()


def _build_overload_error() -> Unavailable:
    return Unavailable("Too many sign in at this moment. Please try again shortly.")


def _normalize(password: str) -> str:
    """Normalise to NFKC: keyboards differ in how they compose a character."""
    return unicodedata.normalize("NFKC", password)


def _build_random_hash() -> str:
    """Build a random hash of the present cost, which no password matches."""

    def encoded(length: int) -> str:
        return base64.b64encode(secrets.token_bytes(length)).decode().rstrip("=")

    cost = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v=19${cost}${encoded(hasher.salt_len)}${encoded(hasher.hash_len)}"
