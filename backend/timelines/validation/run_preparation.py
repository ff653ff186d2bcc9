"""Validates runs and encodes them for the store, for requests, imports and the sample.

In addition to the types that :class:`~backend.timelines.model.Run` declares, it checks that times are
RFC 3339 and no run ends before it starts, that numbers are finite, that scores add up, and that names contain
no character that a database rejects.
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


class RunResponse(msgspec.Struct, frozen=True, gc=False):
    """A run as the API returns it in a timeline. The order of fields is the order in the JSON."""

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


class AdditionalRunFields(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Optional fields of a run that :class:`RunResponse` does not contain."""

    cost_usd: float | None = None
    agent: str | None = None
    error: str | None = None
    infrastructure_failure: bool | None = msgspec.field(default=None, name="machinery_failure")
    evaluation_id: str | None = None
    suite: str | None = None
    revision: str | None = None
    config_digest: str | None = None


class EvaluationMetadata(NamedTuple):
    """The evaluation of one run. Times are microseconds since 1970, or None if they are unknown.

    ``source`` is the name of the file or log.
    """

    evaluation_id: str
    suite: str | None
    revision: str | None
    config_digest: str | None
    finished_us: int | None
    started_us: int | None = None
    source: str | None = None


class PreparedRun(NamedTuple):
    """A run ready to be stored. ``started_us`` is in microseconds since 1970."""

    profile: str
    own_profile: Profile
    """Provider and models that the run itself states; the store fills missing ones from its profile."""
    started_us: int
    run_id: str
    case_id: str
    response_json: bytes
    """A :class:`RunResponse`."""
    additional_json: bytes | None
    """The :class:`AdditionalRunFields`; None if all are missing."""
    evaluation: EvaluationMetadata | None = None


@dataclass(frozen=True, slots=True)
class RunError:
    """An error of the run at ``index``. A run can have several."""

    index: int
    fault: Fault

    @property
    def field(self) -> str:
        return ".".join(str(part) for part in self.fault.place)

    @property
    def reason(self) -> str:
        return self.fault.reason


class PreparationResult(NamedTuple):
    """The valid runs, in order, and all errors of the others."""

    runs: list[PreparedRun]
    errors: list[RunError]


def prepare_runs(
    runs: Iterable[Run], *, profile: str | None = None, shape_is_valid: bool = False
) -> PreparationResult:
    """Validate ``runs`` and encode the valid ones for :func:`backend.timelines.store.add`.

    All runs belong to ``profile``; without it each run names its own. Set ``shape_is_valid`` if msgspec
    decoded the runs, since decoding already checks types; the constructor of :class:`Run` does not.
    """
    prepared: list[PreparedRun] = []
    errors: list[RunError] = []
    for index, run in enumerate(runs):
        faults: Sequence[Fault] = () if shape_is_valid else _find_shape_faults(run)
        if not faults:
            valid_run, faults = _prepare_run(run, profile, shape_is_valid=shape_is_valid)
            if valid_run is not None:
                prepared.append(valid_run)
        errors += [RunError(index, fault) for fault in faults]
    return PreparationResult(prepared, errors)


def to_epoch_microseconds(moment: datetime) -> int:
    """Convert a time to microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=65_536)
def hash_case_id(case_id: str) -> int:
    """Return a signed 64-bit hash of a case id, for an integer column."""
    return int.from_bytes(blake2b(case_id.encode(), digest_size=8).digest(), "big", signed=True)


def _find_shape_faults(run: Run) -> list[Fault]:
    try:
        msgspec.convert(msgspec.to_builtins(run), Run)
    except msgspec.ValidationError as error:
        return [translate_error(error)]
    return []


def _prepare_run(
    run: Run, profile: str | None, *, shape_is_valid: bool
) -> tuple[PreparedRun | None, list[Fault]]:
    faults: list[Fault] = []
    started = validate_instant(run.timestamp, "timestamp", faults)
    ended = None
    if run.finished_at is not None:
        ended = validate_instant(run.finished_at, "finished_at", faults)
        if started is not None and ended is not None and ended[1] < started[1]:
            faults.append(Fault(("finished_at",), "order", "is before timestamp"))
    name = validate_profile(run, profile, faults)
    validate_names(run, faults)
    if shape_is_valid or validate_numbers(run, faults):
        validate_sums(run, faults)
    if faults or started is None or name is None:
        return None, faults
    response = RunResponse(
        run.run_id,
        started[0],
        None if ended is None else ended[0],
        run.case_id,
        name,
        run.success,
        _int_if_whole(run.total_score),
        _int_if_whole(run.raw_score),
        _int_if_whole(run.max_score),
        _int_if_whole(run.normalized_score),
        _compact_metrics(run.metrics),
        _compact_adjustments(run.deductions),
        _compact_adjustments(run.bonuses),
    )
    try:
        response_json, additional_json = _ENCODER.encode(response), _encode_additional_fields(run)
    except UnicodeEncodeError:
        return None, [Fault((), "string_unicode", "must not contain a lone surrogate")]
    own_profile = Profile(run.provider, run.model, run.model_vendor, run.inference_provider)
    evaluation = None
    if run.evaluation_id is not None:
        finished_us = None if ended is None else to_epoch_microseconds(ended[1])
        evaluation = EvaluationMetadata(
            run.evaluation_id, run.suite, run.revision, run.config_digest, finished_us
        )
    started_us = to_epoch_microseconds(started[1])
    prepared = PreparedRun(
        name,
        own_profile,
        started_us,
        run.run_id,
        run.case_id,
        response_json,
        additional_json,
        evaluation,
    )
    return prepared, []


def _int_if_whole(number: float) -> float:
    """Return a whole number as an integer, which JSON writes without a fraction (``85``, not ``85.0``)."""
    return int(number) if number == number // 1 and abs(number) <= _LARGEST_EXACT else number


def _compact_metrics(metrics: Metrics) -> Metrics:
    ratio, coverage = metrics.read_write_ratio, metrics.pre_write_read_coverage
    if ratio is None and coverage is None:
        return metrics
    return Metrics(
        metrics.read_file_calls,
        metrics.write_file_calls,
        metrics.list_dir_calls,
        None if ratio is None else _int_if_whole(ratio),
        None if coverage is None else _int_if_whole(coverage),
    )


def _compact_adjustments(parts: tuple[ScoreAdjustment, ...]) -> tuple[ScoreAdjustment, ...]:
    return tuple(ScoreAdjustment(part.name, _int_if_whole(part.points), part.description) for part in parts)


_ENCODER = msgspec.json.Encoder()


def _encode_additional_fields(run: Run) -> bytes | None:
    cost = None if run.cost_usd is None else _int_if_whole(run.cost_usd)
    fields = AdditionalRunFields(
        cost,
        run.agent,
        run.error,
        run.infrastructure_failure,
        run.evaluation_id,
        run.suite,
        run.revision,
        run.config_digest,
    )
    return None if fields == _NO_ADDITIONAL_FIELDS else _ENCODER.encode(fields)


_NO_ADDITIONAL_FIELDS = AdditionalRunFields()
