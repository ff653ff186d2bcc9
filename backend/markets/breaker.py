"""When a provider may be asked: one breaker per provider, shared by all processes as JSON. Pure.

Five failures within five minutes, with no success between, open it for 30 s; then one probe is let
through, and each probe that fails doubles the wait, up to 30 minutes. A refusal that names its own
end (throttled, quota spent) is obeyed to the second; a refused key waits for the configuration to
change. Every method gives a new value; the clock and the jitter come from the caller.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import orjson

from backend.markets.memory import instant, moment
from backend.markets.model import Fault
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
LONGEST_TOLD = timedelta(days=32)
"""A longer Retry-After is nonsense rather than an instruction: no quota outlasts a month."""

State = Literal["ok", "waiting", "throttled", "open", "unauthorised", "quota_spent"]
Kind = Literal["closed", "open", "throttled", "unauthorised", "quota_spent"]
Period = Literal["day", "month"]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to ask now; if not, since when again (null: not before the configuration changes)."""

    allowed: bool
    probe: bool
    retry_at: datetime | None

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True, slots=True)
class Standing:
    """The provider's state for people: a word, more where there is something to say, and a time."""

    state: State
    message: Reason | None
    retry_at: datetime | None


@dataclass(frozen=True, slots=True)
class Breaker:
    """What is known of a provider's willingness to answer.

    ``until`` ends the wait of ``kind``; ``wait_seconds`` is the last wait without jitter, which the
    next one doubles; ``failures`` are the instants of those that still count; ``fingerprint`` is of
    the configuration in use (see :func:`fingerprint`); ``why`` is the provider's last refusal in
    words that hold no secret, ``fault`` its kind.
    """

    kind: Kind = "closed"
    until: datetime | None = None
    wait_seconds: int = 0
    failures: tuple[datetime, ...] = ()
    probe_until: datetime | None = None
    fingerprint: str | None = None
    why: str = ""
    fault: Fault | None = None

    # -- asking ------------------------------------------------------------------------------

    def allow(self, now: datetime) -> Decision:
        """Whether a call may be made at ``now``. Call :meth:`asked` when it is."""
        if self.kind == "unauthorised":
            return Decision(False, False, None)
        if self._waits(now):
            return Decision(False, False, self.until)
        if self.kind != "open":
            return Decision(True, False, None)
        if self.probe_until is not None and now < self.probe_until <= now + PROBE_LEASE + SKEW:
            return Decision(False, False, self.probe_until)
        return Decision(True, True, None)

    def _waits(self, now: datetime) -> bool:
        """Whether a wait is on. One of ours that would be longer than it was made is of a clock that has been
        put back since, and over."""
        if self.until is None or now >= self.until:
            return False
        longest = timedelta(seconds=self.wait_seconds * (1 + JITTER)) + SKEW
        return self.kind != "open" or self.until - now <= longest

    def allows(self, now: datetime) -> bool:
        return self.allow(now).allowed

    def asked(self, now: datetime) -> "Breaker":
        """A call begins: if it is the probe, all others wait for its answer."""
        if self.allow(now).probe:
            return replace(self, probe_until=now + PROBE_LEASE)
        return self

    def configured(self, fingerprint: str) -> "Breaker":
        """The breaker under the configuration in force: a new one forgets what the old one suffered.

        A throttle stays: it may be by address, and it names its own end.
        """
        if fingerprint == self.fingerprint:
            return self
        if self.fingerprint is None or self.kind == "throttled":
            return replace(self, fingerprint=fingerprint)
        return Breaker(fingerprint=fingerprint)

    # -- learning ----------------------------------------------------------------------------

    def succeeded(self, now: datetime) -> "Breaker":
        """The provider answered. Waits that it named itself stay: the answer may be to an older call."""
        told = self.kind in ("throttled", "quota_spent") and self.until is not None and now < self.until
        if told or self.kind == "unauthorised":
            return replace(self, failures=())
        return Breaker(fingerprint=self.fingerprint)

    def failed(
        self,
        fault: Fault,
        now: datetime,
        *,
        retry_after: float | None = None,
        jitter: float = 0.0,
        period: Period = "day",
        why: str = "",
    ) -> "Breaker":
        """A call came to nothing.

        ``retry_after`` is what the provider told, in seconds. ``jitter`` is a random number in
        [0, 1). ``period`` says which quota is spent when the provider did not tell until when; a
        month's quota taken for a day's costs one refused call a day. ``why`` must hold no secret.
        """
        if fault is Fault.NOT_FOUND:
            return self.succeeded(now)
        why = " ".join(why.split())[:300]
        if self.kind == "unauthorised" or fault is Fault.UNAUTHORISED:
            # Whatever comes after a refused key does not lift the refusal.
            cause = (why, fault) if fault is Fault.UNAUTHORISED else (self.why, self.fault)
            return self._wait("unauthorised", None, *cause)
        if fault is Fault.QUOTA_SPENT:
            told = now + _told(retry_after) if retry_after is not None else next_period(now, period)
            return self._wait("quota_spent", told, why, fault)
        if fault is Fault.THROTTLED:
            until = now + (THROTTLED_FOR if retry_after is None else _told(retry_after))
            if self.kind == "quota_spent" and self.until is not None and self.until > until:
                return self
            return self._wait("throttled", until, why, fault)
        return self._count(now, jitter, why, fault)

    def _count(self, now: datetime, jitter: float, why: str, fault: Fault) -> "Breaker":
        if not 0 <= jitter < 1:
            raise ValueError("Jitter is a random number from 0 up to, but not including, 1.")
        if self._waits(now):
            return self  # an older call's failure adds nothing to a wait that is on
        failures = (*(at for at in self.failures if now - at < WINDOW), now)[-FAILURES:]
        if self.kind != "open" and len(failures) < FAILURES:
            return replace(self, kind="closed", until=None, failures=failures, why=why, fault=fault)
        longest = int(LONGEST_WAIT.total_seconds())
        first = int(FIRST_WAIT.total_seconds())
        wait = min(self.wait_seconds * 2, longest) if self.kind == "open" else first
        until = now + timedelta(seconds=wait * (1 + JITTER * jitter))
        return replace(
            self,
            kind="open",
            until=until,
            wait_seconds=wait,
            failures=(),
            probe_until=None,
            why=why,
            fault=fault,
        )

    def _wait(self, kind: Kind, until: datetime | None, why: str, fault: Fault | None) -> "Breaker":
        return Breaker(kind=kind, until=until, fingerprint=self.fingerprint, why=why, fault=fault)

    # -- telling -----------------------------------------------------------------------------

    def standing(self, now: datetime) -> Standing:
        """State word, what there is to say and the next attempt, as the status page shows them."""
        decision = self.allow(now)
        if decision.allowed and not decision.probe:
            message = self._say("recent_failures", failures=len(self.failures)) if self.failures else None
            return Standing("ok", message, None)
        probing = decision.probe or (self.until is not None and now >= self.until)
        word: State = "waiting" if probing or self.kind == "closed" else self.kind
        return Standing(word, self._message(now), decision.retry_at)

    def _message(self, now: datetime) -> Reason:
        if self.kind == "unauthorised":
            return self._say("key_refused")
        if self.until is None or now >= self.until:
            return self._say("probing")
        told = self.kind in ("quota_spent", "throttled")
        return self._say(self.kind if told else "failed_repeatedly", retry_at=self.until)

    def _say(self, code: str, **values: Any) -> Reason:
        return say(code, said=self.why, fault=self.fault or "", **values)

    # -- storing -----------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "until": self.until and instant(self.until),
            "wait_seconds": self.wait_seconds,
            "failures": [instant(at) for at in self.failures],
            "probe_until": self.probe_until and instant(self.probe_until),
            "fingerprint": self.fingerprint,
            "why": self.why,
            "fault": self.fault,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Breaker":
        until, probe_until = data.get("until"), data.get("probe_until")
        return cls(
            kind=data.get("kind", "closed"),
            until=moment(until) if until else None,
            wait_seconds=data.get("wait_seconds", 0),
            failures=tuple(moment(at) for at in data.get("failures", ())),
            probe_until=moment(probe_until) if probe_until else None,
            fingerprint=data.get("fingerprint"),
            why=data.get("why", ""),
            fault=Fault(data["fault"]) if data.get("fault") else None,
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
