"""What is asked of a run before it is stored, in one place for all that add runs.

Beside the shape that :class:`~backend.timelines.model.Run` declares: instants are RFC 3339 and in order,
numbers finite, the sums right, and the names such as every store can hold.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from backend.instants import parse_instant, write_instant
from backend.timelines.faults import Fault, Place, told
from backend.timelines.model import Metrics, Points, Profile, Run

SUM_TOLERANCE = 0.01
"""How far ``total_score`` may be from ``raw_score`` plus bonuses less deductions."""
RATIO_TOLERANCE = 0.005
"""How far ``normalized_score`` may be from ``total_score`` over ``max_score``: as far as rounding to two
decimals takes it."""
_SLACK = 1e-9
"""For what binary fractions add to a difference of decimals."""
_ROUNDING = 4 * 2.0**-52
"""For what large numbers lose in a sum, as a share of the largest."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Entry(msgspec.Struct, frozen=True):
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


class Rest(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an entry has no field for."""

    cost_usd: float | None = None
    agent: str | None = None
    error: str | None = None
    machinery_failure: bool | None = None


class Prepared(NamedTuple):
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

    prepared: list[Prepared]
    refusals: list[Refusal]


def check(runs: Iterable[Run], *, profile: str | None = None, decoded: bool = False) -> Checked:
    """Judge ``runs``; those that are right can be given to :func:`backend.timelines.store.add`.

    ``profile`` is the one that all belong to; without it each run names its own. ``decoded`` says that the
    runs came out of a decoder of :class:`Run`, which has judged their shape: a run made by its constructor
    has been judged by nobody.
    """
    prepared: list[Prepared] = []
    refusals: list[Refusal] = []
    for index, run in enumerate(runs):
        faults: Sequence[Fault] = () if decoded else _faults_of_shape(run)
        if not faults:
            right, faults = _judged(run, profile)
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


def _judged(run: Run, profile: str | None) -> tuple[Prepared | None, list[Fault]]:
    faults: list[Fault] = []
    begun, began = _instant(run.timestamp, "timestamp", faults)
    ended, end = (None, None)
    if run.finished_at is not None:
        ended, end = _instant(run.finished_at, "finished_at", faults)
        if began is not None and end is not None and end < began:
            faults.append(Fault(("finished_at",), "order", "is before timestamp"))
    name = _profile(run, profile, faults)
    faults += _faults_of_names(run)
    if all_finite(run, faults):
        _judge_sums(run, faults)
    if faults or begun is None or began is None or name is None:
        return None, faults
    return _prepared(run, name, begun, ended, microseconds(began))


def _prepared(
    run: Run, profile: str, timestamp: str, finished_at: str | None, instant: int
) -> tuple[Prepared | None, list[Fault]]:
    entry = Entry(
        run.run_id,
        timestamp,
        finished_at,
        run.case_id,
        profile,
        run.success,
        run.total_score,
        run.raw_score,
        run.max_score,
        run.normalized_score,
        run.metrics,
        run.deductions,
        run.bonuses,
    )
    rest = Rest(run.cost_usd, run.agent, run.error, run.machinery_failure)
    try:
        encoded, beside = _ENCODER.encode(entry), _ENCODER.encode(rest)
    except UnicodeEncodeError:
        return None, [Fault((), "string_unicode", "holds a lone surrogate, which is no character")]
    made_with = Profile(run.provider, run.model, run.model_vendor, run.inference_provider)
    kept = None if beside == b"{}" else beside
    return Prepared(profile, made_with, instant, run.run_id, run.case_id, encoded, kept), []


_ENCODER = msgspec.json.Encoder()


def _instant(text: str, field: str, faults: list[Fault]) -> tuple[str | None, datetime | None]:
    """The instant as it is answered, and as it is."""
    try:
        moment = parse_instant(text)
    except ValueError as error:
        faults.append(Fault((field,), "instant", str(error)))
        return None, None
    return write_instant(moment), moment


def _profile(run: Run, asked: str | None, faults: list[Fault]) -> str | None:
    if asked is None:
        if run.profile is None:
            faults.append(Fault(("profile",), "missing", "is missing"))
        return run.profile
    if run.profile is not None and run.profile != asked:
        faults.append(Fault(("profile",), "profile", f"is not {asked[:100]!r}, to which the runs are added"))
    return asked


def _faults_of_names(run: Run) -> list[Fault]:
    named = {
        "run_id": run.run_id,
        "case_id": run.case_id,
        "provider": run.provider,
        "model": run.model,
        "model_vendor": run.model_vendor,
        "inference_provider": run.inference_provider,
    }
    return [
        Fault((field,), "null_character", "must not hold the character U+0000")
        for field, value in named.items()
        if value is not None and "\0" in value
    ]


def all_finite(run: Run, faults: list[Fault]) -> bool:
    """Whether every number is one, which JSON sees to, and what is read from other formats may not."""
    numbers: list[tuple[Place, float | None]] = [
        (("total_score",), run.total_score),
        (("raw_score",), run.raw_score),
        (("max_score",), run.max_score),
        (("normalized_score",), run.normalized_score),
        (("metrics", "read_write_ratio"), run.metrics.read_write_ratio),
        (("cost_usd",), run.cost_usd),
    ]
    for name, parts in (("deductions", run.deductions), ("bonuses", run.bonuses)):
        numbers += [((name, index, "points"), part.points) for index, part in enumerate(parts)]
    wrong = [place for place, number in numbers if number is not None and not math.isfinite(number)]
    faults += [Fault(place, "finite", "must be a finite number") for place in wrong]
    return not wrong


def _judge_sums(run: Run, faults: list[Fault]) -> None:
    given, taken = (part.points for part in run.bonuses), (-part.points for part in run.deductions)
    terms = [run.raw_score, *given, *taken]
    try:
        right = math.fsum(terms)
    except OverflowError:
        faults.append(Fault(("deductions",), "sum", "add up to more than a number can hold"))
        return
    largest = max(abs(run.total_score), *(abs(term) for term in terms))
    if not abs(run.total_score - right) <= SUM_TOLERANCE + _SLACK + _ROUNDING * largest:
        parts = "raw_score plus bonuses less deductions"
        faults.append(
            Fault(("total_score",), "sum", f"must be {parts}, which is {right:.10g}, within {SUM_TOLERANCE}")
        )
    share = run.total_score / run.max_score
    near = abs(run.normalized_score - share) <= RATIO_TOLERANCE + _SLACK + _ROUNDING * abs(share)
    if not (math.isfinite(share) and near):
        reason = f"must be total_score over max_score, which is {share:.10g}, within {RATIO_TOLERANCE}"
        faults.append(Fault(("normalized_score",), "ratio", reason))
