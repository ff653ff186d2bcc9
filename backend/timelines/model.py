"""Defines scored runs of model profiles as they are sent, stored and returned.

``total_score`` is ``raw_score`` plus the bonuses less the deductions, and ``normalized_score`` is
``total_score`` over ``max_score``, as a fraction. Points of both lists are positive.

None of these objects can be part of a reference cycle, so the garbage collector skips them (``gc=False``):
a request may hold ten thousand.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

MAX_NAME_CHARS = 500
"""Length limit of a run id, a case, a profile or a model name."""
MAX_TEXT_CHARS = 20_000
"""Length limit of a description or an error."""
MAX_DEDUCTIONS = 2_000
"""Maximum number of deductions, and of bonuses, of a run."""
MAX_ENTRIES = 1024
"""Maximum and default number of entries of a profile in a response."""
SUM_TOLERANCE = 0.01
"""Maximum deviation of ``total_score`` from ``raw_score`` plus bonuses less deductions."""
RATIO_TOLERANCE = 0.005
"""Maximum deviation of ``normalized_score`` from ``total_score`` over ``max_score``: the error of rounding to
two decimals."""
ARROW = "application/vnd.apache.arrow.stream"
"""Media type of an Arrow stream of runs."""

Name = Annotated[str, Meta(min_length=1, max_length=MAX_NAME_CHARS)]
Words = Annotated[str, Meta(max_length=MAX_TEXT_CHARS)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


REDACTED = "[redacted]"
"""Replaces what is removed from a text."""
EVALUATION_FIELDS = ("evaluation_id", "suite", "revision", "config_digest")
"""Fields of a run that describe its evaluation."""
Realm = Literal["own", "sample"]
"""The origin of runs: submitted or imported (``own``), or generated for sample mode (``sample``)."""
SplitKind = Literal["instant", "evaluation", "revision", "alert"]
"""What a profile is compared with itself before and after."""
LATEST = "latest"
"""Names the newest alert."""


class Metrics(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Metrics of an agent's behaviour; null if the source does not report the value."""

    read_file_calls: Count | None = None
    write_file_calls: Count | None = None
    list_dir_calls: Count | None = None
    read_write_ratio: Annotated[float, Meta(ge=0)] | None = None
    pre_write_read_coverage: Annotated[float, Meta(ge=0, le=1)] | None = None


class ScoreAdjustment(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A deduction or a bonus with its reason."""

    name: Name
    points: Annotated[float, Meta(ge=0)]
    description: Words = ""


class Profile(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The provider and model of a profile's runs. A run's own values take precedence."""

    provider: Name | None = None
    model: Name | None = None
    model_vendor: Name | None = None
    inference_provider: Name | None = None


class GraderWords(Struct, frozen=True, gc=False):
    """What a grader said about an answer."""

    name: str
    words: str


class RunTexts(Struct, frozen=True, gc=False):
    """The question, the answer and the words of the graders of a run."""

    question: str | None = None
    answer: str | None = None
    graders: tuple[GraderWords, ...] = ()


Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class Run(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """A run as a sender submits it: the fields of an entry and additional ones.

    ``profile`` is optional, because the URL names it. ``infrastructure_failure`` (on the wire,
    ``machinery_failure``) is true if the run failed outside the model: no agent, no sandbox, an unavailable
    provider.

    Runs with one ``evaluation_id`` were made together. ``suite`` names the set of cases, ``revision`` the
    version of what was evaluated, and ``config_digest`` is a digest of prompt, temperature and tools.
    """

    run_id: Name
    timestamp: Timestamp
    finished_at: Timestamp | None = None
    case_id: Name
    profile: Name | None = None
    success: bool
    total_score: float
    raw_score: float
    max_score: Annotated[float, Meta(gt=0)]
    normalized_score: float
    metrics: Metrics = Metrics()
    deductions: Annotated[tuple[ScoreAdjustment, ...], Meta(max_length=MAX_DEDUCTIONS)] = ()
    bonuses: Annotated[tuple[ScoreAdjustment, ...], Meta(max_length=MAX_DEDUCTIONS)] = ()
    provider: Name | None = None
    model: Name | None = None
    model_vendor: Name | None = None
    inference_provider: Name | None = None
    agent: Name | None = None
    cost_usd: Annotated[float, Meta(ge=0)] | None = None
    error: Words | None = None
    infrastructure_failure: bool | None = field(default=None, name="machinery_failure")
    evaluation_id: Name | None = None
    suite: Name | None = None
    revision: Name | None = None
    config_digest: Name | None = None
