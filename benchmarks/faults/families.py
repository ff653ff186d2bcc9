"""Tracks what an application knows of one consent: its code, its pairs of tokens, and their state."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from backend.auth.oauth.grants import ACCESS_TOKEN_LIFETIME, CODE_LIFETIME, REFRESH_TOKEN_LIFETIME
from backend.auth.oauth.retention import EXPIRED_ROW_RETENTION
from benchmarks.faults.seen_clock import Look

State = Literal["good", "open", "revoked", "perhaps revoked", "over"]
"""``open``: its code or its newest refresh token was sent without an answer, so that it is used or not;
``perhaps revoked``: the same of a revocation; ``over``: nobody expects anything of it any more."""


@dataclass
class Pair:
    """An access token and the refresh token that came with it."""

    access: str
    refresh: str
    look: Look
    """At the clock, before they were asked for."""
    access_revoked: Literal["no", "perhaps", "yes"] = "no"

    @property
    def may_be_closed(self) -> bool:
        """Whether its access token may have expired."""
        return self.look.may_be_over(ACCESS_TOKEN_LIFETIME)

    def may_be_forgotten(self, life: timedelta) -> bool:
        return self.look.may_be_over(life + EXPIRED_ROW_RETENTION)


@dataclass
class Family:
    """A code and all that came of it."""

    code: str
    look: Look
    pairs: list[Pair] = field(default_factory=list)
    state: State = "good"

    @property
    def next(self) -> str:
        """What is to be used next: the newest refresh token, or the code."""
        return self.pairs[-1].refresh if self.pairs else self.code

    @property
    def spent(self) -> list[str]:
        """What was used with success, and may never be again: the code, and refresh tokens but the last."""
        return [self.code, *(pair.refresh for pair in self.pairs[:-1])] if self.pairs else []

    @property
    def may_be_over(self) -> bool:
        """Whether what is next may have expired."""
        if self.pairs:
            return self.pairs[-1].look.may_be_over(REFRESH_TOKEN_LIFETIME)
        return self.look.may_be_over(CODE_LIFETIME)

    @property
    def may_be_forgotten(self) -> bool:
        """Whether the store may have deleted it, since all of it may have been over for long."""
        if self.pairs:
            return self.pairs[-1].may_be_forgotten(REFRESH_TOKEN_LIFETIME)
        return self.look.may_be_over(CODE_LIFETIME + EXPIRED_ROW_RETENTION)
