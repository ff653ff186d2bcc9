"""Tracks what an application knows of one consent: its code, its pairs of tokens, and their state."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from backend.auth.oauth.grants import ACCESS_TOKEN_LIFETIME, CODE_LIFETIME, REFRESH_TOKEN_LIFETIME
from backend.auth.oauth.retention import EXPIRED_ROW_RETENTION
from benchmarks.faults.seen_clock import ClockReading

State = Literal["good", "open", "revoked", "perhaps revoked", "over"]
"""``open``: its code or newest refresh token was sent without a response, so it may be used or not. ``perhaps
revoked``: the same for a revocation. ``over``: it is no longer checked."""


@dataclass
class Pair:
    """An access token and the refresh token that came with it."""

    access: str
    refresh: str
    clock_reading: ClockReading
    """The clock reading before the request for the pair."""
    access_revoked: Literal["no", "perhaps", "yes"] = "no"

    @property
    def may_have_expired_access(self) -> bool:
        """Whether its access token may have expired."""
        return self.clock_reading.may_be_expired(ACCESS_TOKEN_LIFETIME)

    def may_be_deleted(self, life: timedelta) -> bool:
        return self.clock_reading.may_be_expired(life + EXPIRED_ROW_RETENTION)


@dataclass
class Family:
    """A code and all its tokens."""

    code: str
    clock_reading: ClockReading
    pairs: list[Pair] = field(default_factory=list)
    state: State = "good"

    @property
    def next(self) -> str:
        """The newest refresh token, or the code if there is none."""
        return self.pairs[-1].refresh if self.pairs else self.code

    @property
    def spent(self) -> list[str]:
        """Used tokens, which must not work again: the code, and all refresh tokens except the last."""
        return [self.code, *(pair.refresh for pair in self.pairs[:-1])] if self.pairs else []

    @property
    def may_be_expired(self) -> bool:
        """Whether the next token may have expired."""
        if self.pairs:
            return self.pairs[-1].clock_reading.may_be_expired(REFRESH_TOKEN_LIFETIME)
        return self.clock_reading.may_be_expired(CODE_LIFETIME)

    @property
    def may_be_deleted(self) -> bool:
        """Whether the store may have deleted it, since all its tokens may have expired long ago."""
        if self.pairs:
            return self.pairs[-1].may_be_deleted(REFRESH_TOKEN_LIFETIME)
        return self.clock_reading.may_be_expired(CODE_LIFETIME + EXPIRED_ROW_RETENTION)
