"""Defines a request for comparisons, and checks that its parts fit together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from backend.entities.model import Language
from backend.errors import BadRequest, FieldError
from backend.timelines.model import SplitKind

MAX_PROFILES = 20
"""Maximum number of profiles in a request."""
_TWO = 2
_SPLITS = "two of evaluation, or one of split_at, split_evaluation, split_revision and split_alert"


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What to compare, and the runs to use. ``since`` is inclusive.

    Several ``profiles`` are compared with the first one. A single one is compared with itself: in two
    ``evaluations``, or before and after the split, a kind and a value of
    :func:`~backend.timelines.analysis.self_comparison.find_split`.
    """

    profiles: Sequence[str]
    evaluations: tuple[str, ...] = ()
    split: tuple[SplitKind, str] | None = None
    cases: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    keep_infrastructure_failures: bool = False
    language: Language = "en"


def validate_request(request: ComparisonRequest) -> None:
    """Raise :class:`BadRequest` if the parts of a request do not fit together."""
    profiles, evaluations = request.profiles, request.evaluations
    if len(set(profiles)) < len(profiles):
        raise build_query_error("profile", "must not name a profile twice")
    if evaluations and request.split:
        raise build_query_error("evaluation", "must not be sent together with a split")
    if evaluations and not len(set(evaluations)) == len(evaluations) == _TWO:
        raise build_query_error("evaluation", "must have two different ids")
    has_one = len(profiles) == 1
    if has_one and not (evaluations or request.split):
        raise build_query_error("profile", f"must occur twice or more, or once with {_SPLITS}")
    if not has_one and (evaluations or request.split):
        raise build_query_error("profile", "must occur once with a split or evaluations")


def build_query_error(name: str, reason: str) -> BadRequest:
    """Build the error of the query parameter ``name``."""
    sentence = reason[:1].upper() + reason[1:]
    fault: FieldError = {"loc": ["query", name], "msg": sentence, "type": "value_error"}
    return BadRequest(f"query.{name}: {sentence}.", errors=[fault])
