"""Removes secrets from messages and logs."""

import re

CREDENTIAL = re.compile(
    r"(?:cpt?_[a-z]+v1|cp[acr]_)[0-9A-Za-z]{8,}(?:_[0-9A-Za-z]+)?|(?<=Bearer )\S+"  # keys; tokens and codes
)
URL_PASSWORD = re.compile(r"(?<=://)([^:/@\s]+):[^@\s]+@")


def redact(text: str) -> str:
    """Return ``text`` without API keys, codes, tokens and the passwords in URLs."""
    return URL_PASSWORD.sub(r"\1:***@", CREDENTIAL.sub("***", text))
