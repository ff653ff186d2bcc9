"""Validates the fields of a run, one function each; errors are appended to ``faults``."""

import math
import re
from collections.abc import Iterator
from datetime import datetime

from backend.formats.timestamps import parse_instant, write_instant
from backend.timelines.model import EVALUATION_FIELDS, RATIO_TOLERANCE, SUM_TOLERANCE, Run
from backend.timelines.validation.validation_messages import Fault, Place

_SLACK = 1e-9
"""Tolerance for the rounding of decimals as binary fractions in a difference."""
_ROUNDING = 4 * 2.0**-52
"""Tolerance for the rounding of sums, as a share of the largest number."""
_AS_WRITTEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:\.(?!000000)\d{6})?Z", re.ASCII)
"""The timestamp format of responses: most timestamps have it, and it is parsed several times as fast."""
_STORED_NAMES = (
    "run_id",
    "case_id",
    "profile",
    "provider",
    "model",
    "model_vendor",
    "inference_provider",
    *EVALUATION_FIELDS,
)


def validate_instant(text: str, field: str, faults: list[Fault]) -> tuple[str, datetime] | None:
    """Return the timestamp as text in the format of responses, and as a time."""
    try:
        if _AS_WRITTEN.fullmatch(text):
            return text, datetime.fromisoformat(text)
    except ValueError:
        pass  # there is no such day or time, and the reader below says so
    try:
        moment = parse_instant(text)
    except ValueError as error:
        faults.append(Fault((field,), "instant", str(error)))
        return None
    return write_instant(moment), moment


def validate_profile(run: Run, expected_profile: str | None, faults: list[Fault]) -> str | None:
    """Return the name of the run's profile, which must equal ``expected_profile`` unless that is None."""
    if expected_profile is None:
        if run.profile is None:
            faults.append(Fault(("profile",), "missing", "is missing"))
        return run.profile
    if run.profile is not None and run.profile != expected_profile:
        faults.append(
            Fault(("profile",), "profile", f"is not {expected_profile[:100]!r}, to which the runs are added")
        )
    return expected_profile


def validate_names(run: Run, faults: list[Fault]) -> None:
    """Check that PostgreSQL can store the names."""
    if "\0" not in f"{run.run_id}{run.case_id}{run.profile}{run.provider}{run.model}" and "\0" not in (
        f"{run.model_vendor}{run.inference_provider}{run.evaluation_id}{run.suite}{run.revision}{run.config_digest}"
    ):
        return
    for field in _STORED_NAMES:
        if "\0" in (getattr(run, field) or ""):
            faults.append(Fault((field,), "null_character", "must not hold the character U+0000"))


def validate_numbers(run: Run, faults: list[Fault]) -> bool:
    """Check that every number is finite; JSON guarantees it, other formats do not."""
    wrong = [
        location
        for location, number in _list_numbers(run)
        if number is not None and not math.isfinite(number)
    ]
    faults += [Fault(location, "finite", "must be a finite number") for location in wrong]
    return not wrong


def _list_numbers(run: Run) -> Iterator[tuple[Place, float | None]]:
    yield ("total_score",), run.total_score
    yield ("raw_score",), run.raw_score
    yield ("max_score",), run.max_score
    yield ("normalized_score",), run.normalized_score
    yield ("metrics", "read_write_ratio"), run.metrics.read_write_ratio
    yield ("cost_usd",), run.cost_usd
    for name, parts in (("deductions", run.deductions), ("bonuses", run.bonuses)):
        yield from (((name, index, "points"), part.points) for index, part in enumerate(parts))


def validate_sums(run: Run, faults: list[Fault]) -> None:
    """Check that the scores are consistent. All numbers must be finite."""
    terms = [run.raw_score]
    terms += [part.points for part in run.bonuses]
    terms += [-part.points for part in run.deductions]
    try:
        right = math.fsum(terms)
    except OverflowError:
        faults.append(Fault(("deductions",), "sum", "add up to more than a number can hold"))
        return
    largest = max(abs(run.total_score), max(terms), -min(terms))
    if abs(run.total_score - right) > SUM_TOLERANCE + _SLACK + _ROUNDING * largest:
        expectation = f"raw_score plus bonuses less deductions, which is {right:.10g}"
        faults.append(Fault(("total_score",), "sum", f"must be {expectation}, within {SUM_TOLERANCE}"))
    share = run.total_score / run.max_score
    far = abs(run.normalized_score - share) > RATIO_TOLERANCE + _SLACK + _ROUNDING * abs(share)
    if far or not math.isfinite(share):
        expectation = f"total_score over max_score, which is {share:.10g}"
        faults.append(
            Fault(("normalized_score",), "ratio", f"must be {expectation}, within {RATIO_TOLERANCE}")
        )
