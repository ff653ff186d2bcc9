"""Refusals in the words of RFC 6749 section 5.2."""

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
    """What ``/oauth/*`` answers as ``{error, error_description}``.

    The description is plain ASCII without quotation marks and backslashes, as the RFC has it.
    """

    status = 400

    def __init__(self, word: Word, description: str, *, status: int = 400) -> None:
        challenge = {"WWW-Authenticate": 'Basic realm="chainproof"'} if status == 401 else {}
        super().__init__(description, code=word, headers=challenge)
        self.status = status


def unknown_client() -> OAuthError:
    """For an application that is not there and for one that was revoked, which are not told apart."""
    return OAuthError("invalid_client", "No application has this client_id, or it was revoked.", status=401)
