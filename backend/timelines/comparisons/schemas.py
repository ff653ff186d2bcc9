"""Describes the responses of the comparison endpoint for the OpenAPI document."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from backend.formats.field_types import Timestamp
from backend.timelines.schemas import PointsOut

Fraction = Annotated[float, Field(description="A fraction of the maximum score; 0.01 is a point.")]
Ends = Annotated[list[float], Field(min_length=2, max_length=2, description="Lower and upper end, 95 %.")]
Probability = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
VerdictKind = Literal[
    "ahead", "level", "borderline", "identical", "too_few", "one_run", "disjoint", "no_runs", "itself"
]


class ComparedSide(TypedDict):
    """One of the two sides, over all of its cases. ``mean`` is the mean of the case means."""

    profile: str
    mean: Fraction | None
    interval: Ends | None
    pass_rate: Probability | None
    pass_rate_interval: Ends | None
    cases: Count
    runs: Count
    machinery_failures_left_out: Count


class ComparisonFigures(TypedDict):
    """B minus A over the shared cases.

    ``t_interval`` and ``p`` are of the paired t test. All need 5 cases.
    ``p_bh`` and ``p_holm`` are corrected for all comparisons of the response; null for a single one. A true
    difference of ``least_detectable`` is found with 80 % power.
    """

    difference: Fraction
    interval: Ends | None
    t_interval: Ends | None
    p: Probability | None
    p_bh: Probability | None
    p_holm: Probability | None
    shared_cases: Count
    wins: Count
    ties: Count
    losses: Count
    least_detectable: Fraction | None
    cases_needed_for_2_points: Annotated[
        int | None, Field(description="Shared cases to see 2 points; null if there are enough.")
    ]


class ComparedCase(TypedDict):
    """Mean scores of a shared case."""

    case_id: str
    a: Fraction
    b: Fraction
    difference: Fraction
    a_runs: Count
    b_runs: Count


class ComparisonOut(TypedDict):
    """The comparison of B with A. ``text`` is the verdict as a sentence, ``notes`` say what was left out.

    ``comparison`` is null if there is nothing to compare. ``cases`` begin with B's largest losses.
    """

    verdict: VerdictKind
    text: str
    notes: list[str]
    a: ComparedSide
    b: ComparedSide
    comparison: ComparisonFigures | None
    cases: list[ComparedCase]


class FamilyOut(TypedDict):
    """How many comparisons of the list differ at 5 %, before and after each correction."""

    compared: Count
    found: Count
    found_bh: Count
    found_holm: Count
    text: str


class ComparisonListing(TypedDict):
    """One comparison for each profile after the first. ``family`` is null for a single comparison."""

    comparisons: list[ComparisonOut]
    family: FamilyOut | None


class GraderOut(TypedDict):
    """What a grader said."""

    name: str
    words: str


class DividedSide(TypedDict):
    """One side of a dividing case: its mean and a typical run, the one whose score is closest to the mean.

    `answer` and `graders` are null and empty unless an import stored them (`has_texts`).
    """

    profile: str
    mean: Fraction
    run_id: str
    timestamp: Timestamp
    success: bool
    normalized_score: Fraction
    deductions: list[PointsOut]
    bonuses: list[PointsOut]
    error: str | None
    answer: str | None
    graders: list[GraderOut]
    has_texts: bool


class DividingCaseOut(TypedDict):
    """A case that divides both sides; `question` is null unless an import stored it."""

    case_id: str
    difference: Fraction
    question: str | None
    a: DividedSide
    b: DividedSide


class DividingCases(TypedDict):
    """The cases with the largest differences first."""

    cases: list[DividingCaseOut]
