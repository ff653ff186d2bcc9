"""Generates and parses keys: ``cp_{env}v1{random}_{checksum}``, with ``cpt_`` for a terminal key.

The checksum reveals typing errors without a look-up and lets secret scanners recognise keys. It adds no
security: that comes from the 32 random base62 characters (190 bits).
"""

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM_LENGTH = 32
CHECKSUM_LENGTH = 6  # 62**6 > 2**32, so every CRC-32 has its own six characters
ENV = re.compile(r"[a-z]+")
KEY = re.compile(r"(cpt?)_([a-z]+)v1([0-9A-Za-z]{32})_([0-9A-Za-z]{6})")


@dataclass(frozen=True, slots=True)
class ParsedKey:
    env: str
    terminal: bool


def generate(env: str, *, terminal: bool = False) -> str:
    """Generate a key with the system's secure random source.

    Raises ``ValueError`` unless ``env`` consists of letters a to z.
    """
    if not ENV.fullmatch(env):
        raise ValueError("the env of a key is one or more lower-case letters a to z")
    random = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
    body = f"{'cpt' if terminal else 'cp'}_{env}v1{random}"
    return f"{body}_{checksum(body)}"


def has_key_form(text: str) -> bool:
    """Whether ``text`` has the pattern of a key; does not verify the checksum."""
    return KEY.fullmatch(text) is not None


def parse(text: str) -> ParsedKey | None:
    """Parse the env and kind of a key; None when the pattern or the checksum is wrong."""
    match = KEY.fullmatch(text)
    if match is None or checksum(text[: match.end(3)]) != match[4]:
        return None
    return ParsedKey(env=match[2], terminal=match[1] == "cpt")


def checksum(body: str) -> str:
    """Compute the CRC-32 (the zlib polynomial) of ``body`` in base62, zero-padded to six characters."""
    number = zlib.crc32(body.encode("ascii"))
    digits = []
    for _ in range(CHECKSUM_LENGTH):
        number, digit = divmod(number, 62)
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))


def digest(text: str) -> str:
    """Hash a key for storage: SHA-256 in hexadecimal. 190 random bits need no slow hash."""
    return hashlib.sha256(text.encode()).hexdigest()
