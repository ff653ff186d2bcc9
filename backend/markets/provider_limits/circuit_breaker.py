"""Decides with a circuit breaker when a provider may be called. Shared by all processes as JSON. No I/O.

The breaker opens for 30 s after five failures within five minutes without a success between them, or after
one refusal of access. Then it allows one probe. Each failed probe doubles the wait, up to 30 minutes. A
throttle and a spent quota last as long as the provider says; a repeated throttle lasts at least twice as long
as the last one. No wait is permanent: a success, a restart of the worker
(:meth:`CircuitBreaker.after_restart`) and a changed configuration (:meth:`CircuitBreaker.with_fingerprint`)
end it. Every method returns a new value; the caller passes the clock and the jitter.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import orjson

from backend.formats.timestamps import parse_instant, write_instant
from backend.markets.model import DEFAULT_THROTTLE_SECONDS, ErrorKind
from backend.markets.reasons import Reason, build_reason

FAILURE_THRESHOLD = 5
FAILURE_WINDOW = timedelta(minutes=5)
"""Longer than five ticks of the slowest refresh, so that a failure at each tick opens the breaker."""
INITIAL_BACKOFF = timedelta(seconds=30)
MAX_BACKOFF = timedelta(minutes=30)
MAX_CLOCK_SKEW = timedelta(minutes=1)
"""How far the clocks of several machines may differ."""
MAX_JITTER_SHARE = 0.1
"""Largest share of a wait that is added to it, so that replicas do not probe at the same time."""
PROBE_TIMEOUT = timedelta(seconds=60)
"""How long other processes wait for the result of a probe before they consider its process dead."""
DEFAULT_THROTTLE = timedelta(seconds=DEFAULT_THROTTLE_SECONDS)
MAX_RETRY_AFTER = timedelta(days=1)
"""A longer Retry-After is cut to this: a quota may be raised earlier, and one refused call a day is cheap."""

State = Literal["ok", "waiting", "throttled", "open", "unauthorised", "refused", "quota_spent"]
Kind = Literal["closed", "open", "throttled", "unauthorised", "refused", "quota_spent"]
Period = Literal["day", "month"]
ACCESS_DENIED_KINDS: Mapping[ErrorKind, Kind] = {
    ErrorKind.UNAUTHORISED: "unauthorised",
    ErrorKind.REFUSED: "refused",
}
BACKOFF_KINDS: frozenset[Kind] = frozenset({"open", *ACCESS_DENIED_KINDS.values()})
"""Kinds whose wait is our own backoff. The provider names the wait of the others."""

_REASON_CODES: Mapping[Kind, str] = {
    "open": "failed_repeatedly",
    "throttled": "throttled",
    "unauthorised": "key_refused",
    "refused": "access_refused",
    "quota_spent": "quota_spent",
}
"""Reason code for each kind of wait."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a call is allowed now, whether it is a probe, and otherwise when to retry."""

    allowed: bool
    probe: bool
    retry_at: datetime | None

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True, slots=True)
class ProviderHealth:
    """A provider's state as shown to users.

    ``since`` is the first failure, ``retry_at`` the next attempt (None if a call is allowed now).
    """

    state: State
    message: Reason | None
    since: datetime | None
    retry_at: datetime | None


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """State of the circuit breaker of one provider.

    ``until`` is the end of the wait of ``kind``. ``wait_seconds`` is the last wait without jitter; the next
    one doubles it. ``failures`` are the instants of the failures that still count. ``since`` is the first
    failure after the last success. ``fingerprint`` identifies the configuration in use (see
    :func:`fingerprint`). ``message`` is the text of the provider's last error without secrets, ``error_kind``
    its kind.
    """

    kind: Kind = "closed"
    until: datetime | None = None
    wait_seconds: int = 0
    failures: tuple[datetime, ...] = ()
    probe_until: datetime | None = None
    since: datetime | None = None
    fingerprint: str | None = None
    message: str = ""
    error_kind: ErrorKind | None = None

    # -- calling -----------------------------------------------------------------------------

    def check(self, now: datetime) -> Decision:
        """Decide whether a call may be made at ``now``. Call :meth:`record_call` when it is made."""
        if self.kind == "closed":
            return Decision(True, False, None)
        if self._is_waiting(now):
            return Decision(False, False, self.until)
        if self.probe_until is not None and now < self.probe_until <= now + PROBE_TIMEOUT + MAX_CLOCK_SKEW:
            return Decision(False, False, self.probe_until)
        return Decision(True, True, None)

    def _is_waiting(self, now: datetime) -> bool:
        """Whether the breaker waits. A rest longer than the whole wait is void: the clock was set back."""
        if self.until is None or now >= self.until:
            return False
        return (
            self.until - now <= timedelta(seconds=self.wait_seconds * (1 + MAX_JITTER_SHARE)) + MAX_CLOCK_SKEW
        )

    def is_allowed(self, now: datetime) -> bool:
        return self.check(now).allowed

    def record_call(self, now: datetime) -> "CircuitBreaker":
        """Record the start of a call. If it is the probe, all other callers wait for its result."""
        if self.check(now).probe:
            return replace(self, probe_until=now + PROBE_TIMEOUT)
        return self

    def with_fingerprint(self, fingerprint: str) -> "CircuitBreaker":
        """The breaker for the current configuration. A changed configuration resets it."""
        if fingerprint == self.fingerprint:
            return self
        if self.fingerprint is None:
            return replace(self, fingerprint=fingerprint)
        return CircuitBreaker(fingerprint=fingerprint)

    def after_restart(self) -> "CircuitBreaker":
        """The breaker for the first call of a new process: only a wait that the provider named remains."""
        return replace(self, until=None, probe_until=None) if self.kind in BACKOFF_KINDS else self

    # -- results ---------------------------------------------------------------------------

    def record_success(self, now: datetime) -> "CircuitBreaker":
        """Record a response. Waits that the provider named stay: the response may belong to an older call."""
        if self.kind not in BACKOFF_KINDS and self._is_waiting(now):
            return replace(self, failures=())
        return CircuitBreaker(fingerprint=self.fingerprint)

    def record_failure(
        self,
        error_kind: ErrorKind,
        now: datetime,
        *,
        retry_after: float | None = None,
        jitter: float = 0.0,
        period: Period = "day",
        message: str = "",
    ) -> "CircuitBreaker":
        """Record a failed call.

        ``retry_after`` is the provider's Retry-After in seconds. ``jitter`` is a random number in [0, 1).
        ``period`` is the period of a spent quota if the provider does not send Retry-After. A monthly quota
        treated as a daily one costs one refused call a day. ``message`` must contain no secret.
        """
        if error_kind is ErrorKind.NOT_FOUND:
            return self.record_success(now)
        message = " ".join(message.split())[:300]
        if error_kind is ErrorKind.QUOTA_SPENT:
            until = (
                now + _clamp_retry_after(retry_after) if retry_after is not None else next_period(now, period)
            )
            return self._open("quota_spent", until, now, message, error_kind)
        if error_kind is ErrorKind.THROTTLED:
            return self._record_throttle(retry_after, now, message)
        return self._count_failure(now, jitter, message, error_kind)

    def _record_throttle(self, retry_after: float | None, now: datetime, message: str) -> "CircuitBreaker":
        wait = DEFAULT_THROTTLE if retry_after is None else _clamp_retry_after(retry_after)
        if self._is_waiting(now):
            if self.kind not in BACKOFF_KINDS and self.until is not None and now + wait <= self.until:
                return self  # an older call's refusal does not extend a running wait
        elif self.kind == "throttled":
            wait = max(wait, self._next_backoff())
        return self._open("throttled", now + wait, now, message, ErrorKind.THROTTLED)

    def _count_failure(
        self, now: datetime, jitter: float, message: str, error_kind: ErrorKind
    ) -> "CircuitBreaker":
        if not 0 <= jitter < 1:
            raise ValueError("Jitter is a random number from 0 up to, but not including, 1.")
        if self._is_waiting(now):
            return self  # an older call's failure does not extend a running wait
        failures = (*self._recent_failures(now), now)[-FAILURE_THRESHOLD:]
        is_probe = self.kind in BACKOFF_KINDS
        if not is_probe and error_kind not in ACCESS_DENIED_KINDS and len(failures) < FAILURE_THRESHOLD:
            since = self._failing_since(now)
            return CircuitBreaker(
                failures=failures,
                since=since,
                fingerprint=self.fingerprint,
                message=message,
                error_kind=error_kind,
            )
        wait = self._next_backoff() if is_probe else INITIAL_BACKOFF
        opened = self._open(ACCESS_DENIED_KINDS.get(error_kind, "open"), now + wait, now, message, error_kind)
        return replace(opened, until=now + wait * (1 + MAX_JITTER_SHARE * jitter))

    def _next_backoff(self) -> timedelta:
        """Twice the last wait, between the initial and the maximum backoff."""
        return max(INITIAL_BACKOFF, min(2 * timedelta(seconds=self.wait_seconds), MAX_BACKOFF))

    def _open(
        self, kind: Kind, until: datetime, now: datetime, message: str, error_kind: ErrorKind
    ) -> "CircuitBreaker":
        return CircuitBreaker(
            kind=kind,
            until=until,
            wait_seconds=math.ceil((until - now).total_seconds()),
            since=self._failing_since(now),
            fingerprint=self.fingerprint,
            message=message,
            error_kind=error_kind,
        )

    def _recent_failures(self, now: datetime) -> tuple[datetime, ...]:
        """The failures within the failure window before ``now``."""
        return tuple(at for at in self.failures if now - at < FAILURE_WINDOW)

    def _failing_since(self, now: datetime) -> datetime:
        """The first failure of the series that a failure at ``now`` belongs to."""
        is_new_series = self.kind == "closed" and not self._recent_failures(now)
        return now if is_new_series or self.since is None else self.since

    # -- health -----------------------------------------------------------------------------

    def health(self, now: datetime) -> ProviderHealth:
        """The provider's state as the status page and ``doctor`` show it."""
        if self.kind == "closed":
            if not self.failures:
                return ProviderHealth("ok", None, None, None)
            return ProviderHealth(
                "ok", self._build_reason("recent_failures", failures=len(self.failures)), self.since, None
            )
        if self._is_waiting(now) and self.until is not None:
            message = self._build_reason(_REASON_CODES[self.kind], retry_at=self.until)
            return ProviderHealth(self.kind, message, self.since, self.until)
        return ProviderHealth("waiting", self._build_reason("probing"), self.since, self.check(now).retry_at)

    def _build_reason(self, code: str, **values: Any) -> Reason:
        return build_reason(code, provider_message=self.message, error_kind=self.error_kind or "", **values)

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
            "why": self.message,
            # The previous version does not know this error kind; the breaker's kind says the same.
            "fault": None if self.error_kind is ErrorKind.REFUSED else self.error_kind,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "CircuitBreaker":
        error_kind = "refused" if data.get("kind") == "refused" else data.get("fault")
        return cls(
            kind=data.get("kind", "closed"),
            until=_parse_optional(data.get("until")),
            wait_seconds=data.get("wait_seconds", 0),
            failures=tuple(parse_instant(at) for at in data.get("failures", ())),
            probe_until=_parse_optional(data.get("probe_until")),
            since=_parse_optional(data.get("since")),
            fingerprint=data.get("fingerprint"),
            message=data.get("why", ""),
            error_kind=ErrorKind(error_kind) if error_kind else None,
        )


def fingerprint(*parts: str | None) -> str:
    """Compute a digest of a provider's configuration, including its key.

    SHA-256 of the parts as a JSON array, so that different lists of parts give different digests.
    """
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()


def next_period(now: datetime, period: Period) -> datetime:
    """The next UTC midnight, or the first day of the next month."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "day":
        return today + timedelta(days=1)
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1)


def _clamp_retry_after(seconds: float) -> timedelta:
    if math.isnan(seconds):
        return DEFAULT_THROTTLE
    return timedelta(seconds=min(max(seconds, 0.0), MAX_RETRY_AFTER.total_seconds()))


def _parse_optional(stored: str | None) -> datetime | None:
    return parse_instant(stored) if stored else None
