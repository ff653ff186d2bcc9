"""Validates runs before they are stored, for requests, imports and the sample.

Beyond the shape that :class:`~backend.timelines.model.Run` declares: instants are RFC 3339 and in order,
numbers are finite, sums are correct, and every database can store the names.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from backend.timelines.model import Metrics, Points, Profile, Run
from backend.timelines.validation.field_checks import (
    validate_instant,
    validate_names,
    validate_numbers,
    validate_profile,
    validate_sums,
)
from backend.timelines.validation.validation_messages import Fault, told

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A run as the interface answers it, in its order of fields."""

    run_id: str
    timestamp: str
    finished_at: str | None
    case_id: str
    profile: str
    success: bool
    total_score: float
    raw_score: float
    max_score: float
    normalized_score: float
    metrics: Metrics
    deductions: tuple[Points, ...]
    bonuses: tuple[Points, ...]


class Rest(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What an entry has no field for."""

    cost_usd: float | None = None
    agent: str | None = None
    error: str | None = None
    machinery_failure: bool | None = None


class PreparedRun(NamedTuple):
    """What is stored of a run. ``instant`` is in microseconds since 1970, ``entry`` and ``rest`` are JSON."""

    profile: str
    made_with: Profile
    """What the run itself says; what it does not say is its profile's."""
    instant: int
    run_id: str
    case_id: str
    entry: bytes
    rest: bytes | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the run at ``index`` of those that were checked is refused."""

    index: int
    fault: Fault

    @property
    def field(self) -> str:
        return ".".join(str(part) for part in self.fault.place)

    @property
    def reason(self) -> str:
        return self.fault.reason


class Checked(NamedTuple):
    """The runs that are right, in order, and every fault of the others."""

    prepared: list[PreparedRun]
    refusals: list[Refusal]


def check(runs: Iterable[Run], *, profile: str | None = None, decoded: bool = False) -> Checked:
    """Judge ``runs``; those that are right can be given to :func:`backend.timelines.store.add`.

    ``profile`` is the one that all belong to; without it each run names its own. ``decoded`` says that the
    runs came out of a decoder of :class:`Run`, which has judged their shape: a run made by its constructor
    has been judged by nobody.
    """
    prepared: list[PreparedRun] = []
    refusals: list[Refusal] = []
    for index, run in enumerate(runs):
        faults: Sequence[Fault] = () if decoded else _faults_of_shape(run)
        if not faults:
            right, faults = _judged(run, profile, decoded=decoded)
            if right is not None:
                prepared.append(right)
        refusals += [Refusal(index, fault) for fault in faults]
    return Checked(prepared, refusals)


def microseconds(moment: datetime) -> int:
    """Since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=65_536)
def case_key(case_id: str) -> int:
    """A digest of 64 bits, with a sign."""
    return int.from_bytes(blake2b(case_id.encode(), digest_size=8).digest(), "big", signed=True)


def _faults_of_shape(run: Run) -> list[Fault]:
    try:
        msgspec.convert(msgspec.to_builtins(run), Run)
    except msgspec.ValidationError as error:
        return [told(error)]
    return []


def _judged(run: Run, profile: str | None, *, decoded: bool) -> tuple[PreparedRun | None, list[Fault]]:
    faults: list[Fault] = []
    begun = validate_instant(run.timestamp, "timestamp", faults)
    ended = None
    if run.finished_at is not None:
        ended = validate_instant(run.finished_at, "finished_at", faults)
        if begun is not None and ended is not None and ended[1] < begun[1]:
            faults.append(Fault(("finished_at",), "order", "is before timestamp"))
    name = validate_profile(run, profile, faults)
    validate_names(run, faults)
    if decoded or validate_numbers(run, faults):
        validate_sums(run, faults)
    if faults or begun is None or name is None:
        return None, faults
    entry = Entry(
        run.run_id,
        begun[0],
        None if ended is None else ended[0],
        run.case_id,
        name,
        run.success,
        run.total_score,
        run.raw_score,
        run.max_score,
        run.normalized_score,
        run.metrics,
        run.deductions,
        run.bonuses,
    )
    try:
        encoded, rest = _ENCODER.encode(entry), _rest(run)
    except UnicodeEncodeError:
        return None, [Fault((), "string_unicode", "holds a lone surrogate, which is no character")]
    made_with = Profile(run.provider, run.model, run.model_vendor, run.inference_provider)
    return PreparedRun(name, made_with, microseconds(begun[1]), run.run_id, run.case_id, encoded, rest), []


_ENCODER = msgspec.json.Encoder()


def _rest(run: Run) -> bytes | None:
    rest = Rest(run.cost_usd, run.agent, run.error, run.machinery_failure)
    return None if rest == _NO_REST else _ENCODER.encode(rest)


_NO_REST = Rest()
