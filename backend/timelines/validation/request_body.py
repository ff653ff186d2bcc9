"""Decodes the body of a request that adds runs.

Valid bodies are decoded once, in C. Only invalid ones are decoded again by a slower path that knows the
location of every error.
"""

from typing import Any

import msgspec

from backend.errors import BadRequest, FieldError
from backend.http import json_body
from backend.timelines.model import Run
from backend.timelines.validation.run_preparation import PreparedRun, prepare_runs
from backend.timelines.validation.validation_messages import Fault, translate_error

MAX_LISTED_FAULTS = 100
"""Maximum faults in an error response; a body may have more."""
_RUN, _RUNS = msgspec.json.Decoder(Run), msgspec.json.Decoder(list[Run])
_WHITE_SPACE = b" \t\r\n"


def prepare_body(body: bytes, profile: str) -> list[PreparedRun]:
    """Decode and validate ``body``, one run or an array of runs of ``profile``.

    Raises :class:`BadRequest` with the index, the field and the reason of every fault. The time grows with
    the length of the body, so call it in a thread."""
    is_single = body.lstrip(_WHITE_SPACE)[:1] == b"{"
    try:
        runs = [_RUN.decode(body)] if is_single else _RUNS.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _explain_decoding_error(body, profile, error) from None
    json_body.reject_huge_integers(body)
    result = prepare_runs(runs, profile=profile, shape_is_valid=True)
    if result.errors:
        raise _build_faults_error(
            [(error.index, error.fault) for error in result.errors], len(runs), is_single=is_single
        )
    return result.runs


def _explain_decoding_error(body: bytes, profile: str, error: Exception) -> BadRequest:
    """Build the error for a body that the decoder refused: invalid JSON, no run, or invalid runs."""
    if not body.strip(_WHITE_SPACE):
        return _build_body_error("The body is empty; send a run, or an array of runs", "missing")
    value: Any = json_body.parse(body)
    if not isinstance(value, dict | list):
        return _build_body_error("The body must be a run (an object) or an array of runs", "type")
    values: list[Any] = [value] if isinstance(value, dict) else value
    faults: list[tuple[int, Fault]] = []
    for index, item in enumerate(values):
        try:
            run = msgspec.convert(item, Run)
        except msgspec.ValidationError as fault:
            faults.append((index, translate_error(fault)))
            if len(faults) > MAX_LISTED_FAULTS:
                break
        else:
            errors = prepare_runs([run], profile=profile, shape_is_valid=True).errors
            faults += [(index, run_error.fault) for run_error in errors]
    return _build_faults_error(
        faults or [(0, translate_error(error))], len(values), is_single=isinstance(value, dict)
    )


def _build_faults_error(faults: list[tuple[int, Fault]], run_count: int, *, is_single: bool) -> BadRequest:
    listed: list[FieldError] = [
        {
            "loc": ["body", *(() if is_single else (index,)), *fault.place],
            "msg": _capitalize(fault.reason),
            "type": fault.kind,
        }
        for index, fault in faults[:MAX_LISTED_FAULTS]
    ]
    index, first = faults[0]
    field = ".".join(str(part) for part in first.place)
    subject = "The run" if is_single else f"Run {index} of {run_count} (counted from 0)"
    sentence = f"{subject}: {field} {first.reason}" if field else f"{subject} {first.reason}"
    other_count = len(faults) - 1
    note = f" {other_count} more in errors." if other_count else ""
    if other_count >= MAX_LISTED_FAULTS:
        note = f" {MAX_LISTED_FAULTS - 1} more in errors, which are not all."
    return BadRequest(f"{sentence}.{note} Nothing was added.", errors=listed)


def _build_body_error(sentence: str, kind: str) -> BadRequest:
    return BadRequest(f"{sentence}.", errors=[{"loc": ["body"], "msg": sentence, "type": kind}])


def _capitalize(reason: str) -> str:
    return reason[:1].upper() + reason[1:]
