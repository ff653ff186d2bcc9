"""Defines the errors of the OAuth endpoints (RFC 6749 section 5.2)."""

from typing import Literal

from backend.errors import ServiceError

Word = Literal[
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "invalid_scope",
    "unauthorized_client",
    "unsupported_grant_type",
]


class OAuthError(ServiceError):
    """An error that ``/oauth/*`` answers as ``{error, error_description}``.

    The RFC restricts the description to ASCII without quotation marks and backslashes.
    """

    status = 400

    def __init__(self, word: Word, description: str, *, status: int = 400) -> None:
        challenge = {"WWW-Authenticate": 'Basic realm="chainproof"'} if status == 401 else {}
        super().__init__(description, code=word, headers=challenge)
        self.status = status


def unknown_client() -> OAuthError:
    """Build the one error for unknown and for revoked applications."""
    return OAuthError("invalid_client", "No application has this client_id, or it was revoked.", status=401)
