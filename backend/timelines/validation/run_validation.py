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

from backend.timelines.model import Metrics, Profile, Run, ScoreAdjustment
from backend.timelines.validation.field_checks import (
    validate_instant,
    validate_names,
    validate_numbers,
    validate_profile,
    validate_sums,
)
from backend.timelines.validation.validation_messages import Fault, translate_error

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LARGEST_EXACT = 2**53
"""Whole numbers up to this are exact in a double."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A run as in responses, with the fields in the order of the interface."""

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
    deductions: tuple[ScoreAdjustment, ...]
    bonuses: tuple[ScoreAdjustment, ...]


class Rest(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The fields of a run that an entry lacks."""

    cost_usd: float | None = None
    agent: str | None = None
    error: str | None = None
    machinery_failure: bool | None = None
    evaluation_id: str | None = None
    suite: str | None = None
    revision: str | None = None
    config_digest: str | None = None


class EvaluationPart(NamedTuple):
    """What one run tells of its evaluation. Times are microseconds since 1970, null if they are unknown.

    ``source`` is the name of the file or log.
    """

    evaluation_id: str
    suite: str | None
    revision: str | None
    config_digest: str | None
    finished: int | None
    started: int | None = None
    source: str | None = None


class PreparedRun(NamedTuple):
    """A run ready to be stored. ``instant`` is in microseconds since 1970, ``entry`` and ``rest`` are
    JSON."""

    profile: str
    made_with: Profile
    """The run's own provider and models; missing fields come from its profile."""
    instant: int
    run_id: str
    case_id: str
    entry: bytes
    rest: bytes | None
    evaluation: EvaluationPart | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why the checked run at ``index`` is refused."""

    index: int
    fault: Fault

    @property
    def field(self) -> str:
        return ".".join(str(part) for part in self.fault.place)

    @property
    def reason(self) -> str:
        return self.fault.reason


class Checked(NamedTuple):
    """The valid runs, in order, and every fault of the others."""

    prepared: list[PreparedRun]
    refusals: list[Refusal]


def check(runs: Iterable[Run], *, profile: str | None = None, decoded: bool = False) -> Checked:
    """Validate ``runs``; the valid ones can be passed to :func:`backend.timelines.store.add`.

    All runs belong to ``profile``; without it each run names its own. ``decoded``: the runs come from a
    decoder of :class:`Run`, which has validated their shape. The constructor validates nothing."""
    prepared: list[PreparedRun] = []
    refusals: list[Refusal] = []
    for index, run in enumerate(runs):
        faults: Sequence[Fault] = () if decoded else _find_shape_faults(run)
        if not faults:
            right, faults = _validate_run(run, profile, decoded=decoded)
            if right is not None:
                prepared.append(right)
        refusals += [Refusal(index, fault) for fault in faults]
    return Checked(prepared, refusals)


def microseconds(moment: datetime) -> int:
    """Return the microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=65_536)
def case_key(case_id: str) -> int:
    """Return a signed 64-bit digest."""
    return int.from_bytes(blake2b(case_id.encode(), digest_size=8).digest(), "big", signed=True)


def _find_shape_faults(run: Run) -> list[Fault]:
    try:
        msgspec.convert(msgspec.to_builtins(run), Run)
    except msgspec.ValidationError as error:
        return [translate_error(error)]
    return []


def _validate_run(run: Run, profile: str | None, *, decoded: bool) -> tuple[PreparedRun | None, list[Fault]]:
    faults: list[Fault] = []
    started = validate_instant(run.timestamp, "timestamp", faults)
    ended = None
    if run.finished_at is not None:
        ended = validate_instant(run.finished_at, "finished_at", faults)
        if started is not None and ended is not None and ended[1] < started[1]:
            faults.append(Fault(("finished_at",), "order", "is before timestamp"))
    name = validate_profile(run, profile, faults)
    validate_names(run, faults)
    if decoded or validate_numbers(run, faults):
        validate_sums(run, faults)
    if faults or started is None or name is None:
        return None, faults
    entry = Entry(
        run.run_id,
        started[0],
        None if ended is None else ended[0],
        run.case_id,
        name,
        run.success,
        _drop_fraction(run.total_score),
        _drop_fraction(run.raw_score),
        _drop_fraction(run.max_score),
        _drop_fraction(run.normalized_score),
        _drop_fractions_of_metrics(run.metrics),
        _drop_fractions_of_points(run.deductions),
        _drop_fractions_of_points(run.bonuses),
    )
    try:
        encoded, rest = _ENCODER.encode(entry), _encode_rest(run)
    except UnicodeEncodeError:
        return None, [Fault((), "string_unicode", "must not contain a lone surrogate")]
    made_with = Profile(run.provider, run.model, run.model_vendor, run.inference_provider)
    evaluation = None
    if run.evaluation_id is not None:
        finished = None if ended is None else microseconds(ended[1])
        evaluation = EvaluationPart(run.evaluation_id, run.suite, run.revision, run.config_digest, finished)
    instant = microseconds(started[1])
    return PreparedRun(name, made_with, instant, run.run_id, run.case_id, encoded, rest, evaluation), []


def _drop_fraction(number: float) -> float:
    """Return a whole number as an integer, which JSON writes without a fraction (``85``, not ``85.0``)."""
    return int(number) if number == number // 1 and abs(number) <= _LARGEST_EXACT else number


def _drop_fractions_of_metrics(metrics: Metrics) -> Metrics:
    ratio, coverage = metrics.read_write_ratio, metrics.pre_write_read_coverage
    if ratio is None and coverage is None:
        return metrics
    return Metrics(
        metrics.read_file_calls,
        metrics.write_file_calls,
        metrics.list_dir_calls,
        None if ratio is None else _drop_fraction(ratio),
        None if coverage is None else _drop_fraction(coverage),
    )


def _drop_fractions_of_points(parts: tuple[ScoreAdjustment, ...]) -> tuple[ScoreAdjustment, ...]:
    return tuple(ScoreAdjustment(part.name, _drop_fraction(part.points), part.description) for part in parts)


_ENCODER = msgspec.json.Encoder()


def _encode_rest(run: Run) -> bytes | None:
    cost = None if run.cost_usd is None else _drop_fraction(run.cost_usd)
    rest = Rest(
        cost,
        run.agent,
        run.error,
        run.machinery_failure,
        run.evaluation_id,
        run.suite,
        run.revision,
        run.config_digest,
    )
    return None if rest == _NO_REST else _ENCODER.encode(rest)


_NO_REST = Rest()
