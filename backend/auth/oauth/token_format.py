"""Generates codes and tokens, and identifies their kind.

The form is ``cpa_{random}_{checksum}`` for an access token, ``cpr_`` for a refresh token and ``cpc_`` for an
authorization code. As with API keys, secret scanners recognise it, and damaged ones are refused without a
look-up. Keys begin with ``cp_`` and ``cpt_``, so no text is of two kinds.
"""

import re
import secrets
from typing import Literal

from backend.auth.key_format import ALPHABET, RANDOM_LENGTH, checksum, digest

__all__ = ["Kind", "digest", "generate", "kind_of"]

Kind = Literal["access", "refresh", "code"]
LETTERS: dict[Kind, str] = {"access": "a", "refresh": "r", "code": "c"}
KINDS: dict[str, Kind] = {letter: kind for kind, letter in LETTERS.items()}
TOKEN = re.compile(r"cp([acr])_[0-9A-Za-z]{32}_([0-9A-Za-z]{6})")


def generate(kind: Kind) -> str:
    """Generate a code or token with 190 random bits from the system's secure source."""
    random = "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH))
    body = f"cp{LETTERS[kind]}_{random}"
    return f"{body}_{checksum(body)}"


def kind_of(text: str) -> Kind | None:
    """Return the kind of ``text``; None when the pattern or the checksum is wrong."""
    match = TOKEN.fullmatch(text)
    if match is None or checksum(text[: match.start(2) - 1]) != match[2]:
        return None
    return KINDS[match[1]]
