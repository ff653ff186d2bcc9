"""Circuit breaker of a provider: decides when it may be asked. Shared by all processes as JSON. Pure.

Five failures within five minutes, with no success between, or one refusal of access open it for 30 s. Then
one probe is let through, and each probe that fails doubles the wait, up to 30 minutes. A throttle and a
spent quota last as long as the provider says, a repeated throttle at least twice as long as the last one.
Nothing lasts for good: a success, a restart of the worker (:meth:`Breaker.restarted`) and a changed
configuration (:meth:`Breaker.configured`) end a wait. Every method gives a new value; the clock and the
jitter come from the caller.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import orjson

from backend.formats.timestamps import parse_instant, write_instant
from backend.markets.model import ErrorKind
from backend.markets.reasons import Reason, say

FAILURES = 5
WINDOW = timedelta(minutes=5)
"""Longer than five ticks of the slowest refresh: a provider that fails at each of them must open it."""
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=30)
SKEW = timedelta(minutes=1)
"""By which the clocks of several machines may differ."""
JITTER = 0.1
"""At most this share of a wait is added to it, so that replicas do not probe in step."""
PROBE_LEASE = timedelta(seconds=60)
"""So long others wait for the answer of a probe; then its process is taken for dead."""
THROTTLED_FOR = timedelta(seconds=60)
LONGEST_TOLD = timedelta(days=1)
"""A longer Retry-After is cut to this: a quota may be raised before, and a refused call a day is cheap."""

State = Literal["ok", "waiting", "throttled", "open", "unauthorised", "refused", "quota_spent"]
Kind = Literal["closed", "open", "throttled", "unauthorised", "refused", "quota_spent"]
Period = Literal["day", "month"]
REFUSALS: Mapping[ErrorKind, Kind] = {ErrorKind.UNAUTHORISED: "unauthorised", ErrorKind.REFUSED: "refused"}
OWN_WAITS: frozenset[Kind] = frozenset({"open", *REFUSALS.values()})
"""Kinds whose wait is our guess; that of the others was named by the provider."""


_CODES: Mapping[Kind, str] = {
    "open": "failed_repeatedly",
    "throttled": "throttled",
    "unauthorised": "key_refused",
    "refused": "access_refused",
    "quota_spent": "quota_spent",
}
"""The sentence about each kind of wait."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to ask now, whether that is a probe, and if not now, when."""

    allowed: bool
    probe: bool
    retry_at: datetime | None

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True, slots=True)
class Standing:
    """The provider's state for people.

    ``since`` is when its trouble began, ``retry_at`` the next attempt (null if it may be asked now)."""

    state: State
    message: Reason | None
    since: datetime | None
    retry_at: datetime | None


@dataclass(frozen=True, slots=True)
class Breaker:
    """What is known of a provider's willingness to answer.

    ``until`` ends the wait of ``kind``; ``wait_seconds`` is the last wait without jitter, which the
    next one doubles; ``failures`` are the instants of those that still count; ``since`` is the first failure
    after the last success; ``fingerprint`` is of the configuration in use (see :func:`fingerprint`); ``why``
    is the provider's last refusal in words that hold no secret, ``fault`` its kind.
    """

    kind: Kind = "closed"
    until: datetime | None = None
    wait_seconds: int = 0
    failures: tuple[datetime, ...] = ()
    probe_until: datetime | None = None
    since: datetime | None = None
    fingerprint: str | None = None
    why: str = ""
    fault: ErrorKind | None = None

    # -- asking ------------------------------------------------------------------------------

    def allow(self, now: datetime) -> Decision:
        """Whether a call may be made at ``now``. Call :meth:`asked` when it is."""
        if self.kind == "closed":
            return Decision(True, False, None)
        if self._waits(now):
            return Decision(False, False, self.until)
        if self.probe_until is not None and now < self.probe_until <= now + PROBE_LEASE + SKEW:
            return Decision(False, False, self.probe_until)
        return Decision(True, True, None)

    def _waits(self, now: datetime) -> bool:
        """Whether a wait is on. One longer than it was made is over: the clock was put back."""
        if self.until is None or now >= self.until:
            return False
        return self.until - now <= timedelta(seconds=self.wait_seconds * (1 + JITTER)) + SKEW

    def allows(self, now: datetime) -> bool:
        return self.allow(now).allowed

    def asked(self, now: datetime) -> "Breaker":
        """A call begins: if it is the probe, all others wait for its answer."""
        if self.allow(now).probe:
            return replace(self, probe_until=now + PROBE_LEASE)
        return self

    def configured(self, fingerprint: str) -> "Breaker":
        """The breaker under the configuration in force: a new one forgets what the old one suffered."""
        if fingerprint == self.fingerprint:
            return self
        if self.fingerprint is None:
            return replace(self, fingerprint=fingerprint)
        return Breaker(fingerprint=fingerprint)

    def restarted(self) -> "Breaker":
        """The breaker for a new process's first call: only a wait that the provider named holds it back."""
        return replace(self, until=None, probe_until=None) if self.kind in OWN_WAITS else self

    # -- learning ----------------------------------------------------------------------------

    def succeeded(self, now: datetime) -> "Breaker":
        """The provider answered. Waits that it named itself stay: the answer may be to an older call."""
        if self.kind not in OWN_WAITS and self._waits(now):
            return replace(self, failures=())
        return Breaker(fingerprint=self.fingerprint)

    def failed(
        self,
        fault: ErrorKind,
        now: datetime,
        *,
        retry_after: float | None = None,
        jitter: float = 0.0,
        period: Period = "day",
        why: str = "",
    ) -> "Breaker":
        """A call failed.

        ``retry_after`` is what the provider told, in seconds. ``jitter`` is a random number in
        [0, 1). ``period`` says which quota is spent when the provider did not tell until when; a
        month's quota taken for a day's costs one refused call a day. ``why`` must hold no secret.
        """
        if fault is ErrorKind.NOT_FOUND:
            return self.succeeded(now)
        why = " ".join(why.split())[:300]
        if fault is ErrorKind.QUOTA_SPENT:
            told = now + _told(retry_after) if retry_after is not None else next_period(now, period)
            return self._wait("quota_spent", told, now, why, fault)
        if fault is ErrorKind.THROTTLED:
            return self._throttle(retry_after, now, why)
        return self._count(now, jitter, why, fault)

    def _throttle(self, retry_after: float | None, now: datetime, why: str) -> "Breaker":
        wait = THROTTLED_FOR if retry_after is None else _told(retry_after)
        if self._waits(now):
            if self.kind not in OWN_WAITS and self.until is not None and now + wait <= self.until:
                return self  # an older call's refusal adds nothing to a wait that is on
        elif self.kind == "throttled":
            wait = max(wait, self._next_wait())
        return self._wait("throttled", now + wait, now, why, ErrorKind.THROTTLED)

    def _count(self, now: datetime, jitter: float, why: str, fault: ErrorKind) -> "Breaker":
        if not 0 <= jitter < 1:
            raise ValueError("Jitter is a random number from 0 up to, but not including, 1.")
        if self._waits(now):
            return self  # an older call's failure adds nothing to a wait that is on
        failures = (*self._counting(now), now)[-FAILURES:]
        again = self.kind in OWN_WAITS
        if not again and fault not in REFUSALS and len(failures) < FAILURES:
            since = self._since(now)
            return Breaker(failures=failures, since=since, fingerprint=self.fingerprint, why=why, fault=fault)
        wait = self._next_wait() if again else FIRST_WAIT
        opened = self._wait(REFUSALS.get(fault, "open"), now + wait, now, why, fault)
        return replace(opened, until=now + wait * (1 + JITTER * jitter))

    def _next_wait(self) -> timedelta:
        """Twice the last wait, within bounds."""
        return max(FIRST_WAIT, min(2 * timedelta(seconds=self.wait_seconds), LONGEST_WAIT))

    def _wait(self, kind: Kind, until: datetime, now: datetime, why: str, fault: ErrorKind) -> "Breaker":
        return Breaker(
            kind=kind,
            until=until,
            wait_seconds=math.ceil((until - now).total_seconds()),
            since=self._since(now),
            fingerprint=self.fingerprint,
            why=why,
            fault=fault,
        )

    def _counting(self, now: datetime) -> tuple[datetime, ...]:
        """The failures that are not too long ago to count."""
        return tuple(at for at in self.failures if now - at < WINDOW)

    def _since(self, now: datetime) -> datetime:
        """When the trouble began that a failure at ``now`` belongs to."""
        over = self.kind == "closed" and not self._counting(now)
        return now if over or self.since is None else self.since

    # -- telling -----------------------------------------------------------------------------

    def standing(self, now: datetime) -> Standing:
        """The breaker's state as the status page and ``doctor`` show it."""
        if self.kind == "closed":
            if not self.failures:
                return Standing("ok", None, None, None)
            return Standing("ok", self._say("recent_failures", failures=len(self.failures)), self.since, None)
        if self._waits(now) and self.until is not None:
            message = self._say(_CODES[self.kind], retry_at=self.until)
            return Standing(self.kind, message, self.since, self.until)
        return Standing("waiting", self._say("probing"), self.since, self.allow(now).retry_at)

    def _say(self, code: str, **values: Any) -> Reason:
        return say(code, said=self.why, fault=self.fault or "", **values)

    # -- storing -----------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "until": self.until and write_instant(self.until),
            "wait_seconds": self.wait_seconds,
            "failures": [write_instant(at) for at in self.failures],
            "probe_until": self.probe_until and write_instant(self.probe_until),
            "since": self.since and write_instant(self.since),
            "fingerprint": self.fingerprint,
            "why": self.why,
            # A process of the version before does not know the fault; its kind says the same.
            "fault": None if self.fault is ErrorKind.REFUSED else self.fault,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Breaker":
        fault = "refused" if data.get("kind") == "refused" else data.get("fault")
        return cls(
            kind=data.get("kind", "closed"),
            until=_read(data.get("until")),
            wait_seconds=data.get("wait_seconds", 0),
            failures=tuple(parse_instant(at) for at in data.get("failures", ())),
            probe_until=_read(data.get("probe_until")),
            since=_read(data.get("since")),
            fingerprint=data.get("fingerprint"),
            why=data.get("why", ""),
            fault=ErrorKind(fault) if fault else None,
        )


def fingerprint(*parts: str | None) -> str:
    """A digest that changes with any part of a provider's configuration, its key included.

    SHA-256 over the parts as a JSON array, so that no two lists of parts run together.
    """
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()


def next_period(now: datetime, period: Period) -> datetime:
    """The next UTC midnight, or the first of the next month."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "day":
        return today + timedelta(days=1)
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1)


def _told(seconds: float) -> timedelta:
    if math.isnan(seconds):
        return THROTTLED_FOR
    return timedelta(seconds=min(max(seconds, 0.0), LONGEST_TOLD.total_seconds()))


def _read(stored: str | None) -> datetime | None:
    return parse_instant(stored) if stored else None
