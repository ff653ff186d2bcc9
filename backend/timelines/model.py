"""A scored run of a model profile, as it is sent, stored and answered.

``total_score`` is ``raw_score`` plus the bonuses less the deductions, and ``normalized_score`` is
``total_score`` over ``max_score``, a fraction and no percentage. Points of both lists are positive.

None of these can be part of a cycle, so the collector need not look at them (``gc=False``): a request may
bring ten thousand.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

LONGEST_NAME = 500
"""Characters of a run id, a case, a profile, a model."""
LONGEST_WORDS = 20_000
"""Characters of a description or an error."""
MOST_PARTS = 2_000
"""Deductions, or bonuses, of a run."""
MOST_ENTRIES = 1024
"""Entries of a profile that an answer holds at the most, and unless fewer are asked for."""
SUM_TOLERANCE = 0.01
"""How far ``total_score`` may be from ``raw_score`` plus bonuses less deductions."""
RATIO_TOLERANCE = 0.005
"""How far ``normalized_score`` may be from ``total_score`` over ``max_score``: as far as rounding to two
decimals takes it."""
ARROW = "application/vnd.apache.arrow.stream"
"""Media type of runs as an Arrow stream."""

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Words = Annotated[str, Meta(max_length=LONGEST_WORDS)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


Realm = Literal["own", "sample"]
"""Whose runs: what people and programs gave, or the generated ones that sample mode shows."""


class Metrics(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """How an agent behaved; null is what the source does not say."""

    read_file_calls: Count | None = None
    write_file_calls: Count | None = None
    list_dir_calls: Count | None = None
    read_write_ratio: Annotated[float, Meta(ge=0)] | None = None
    pre_write_read_coverage: Annotated[float, Meta(ge=0, le=1)] | None = None


class Points(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What was taken off a score, or added to it, and why."""

    name: Name
    points: Annotated[float, Meta(ge=0)]
    description: Words = ""


class Profile(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What a profile's runs are made with, unless a run says otherwise."""

    provider: Name | None = None
    model: Name | None = None
    model_vendor: Name | None = None
    inference_provider: Name | None = None


class Run(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """A run as a sender gives it: the entry's fields, and what an entry has no field for.

    ``profile`` may be left out: the address names it. ``machinery_failure`` says that the run failed before
    or beside the model (no agent, no sandbox, a dead provider) and tells nothing about the model.
    """

    run_id: Name
    timestamp: str
    finished_at: str | None = None
    case_id: Name
    profile: Name | None = None
    success: bool
    total_score: float
    raw_score: float
    max_score: Annotated[float, Meta(gt=0)]
    normalized_score: float
    metrics: Metrics = Metrics()
    deductions: Annotated[tuple[Points, ...], Meta(max_length=MOST_PARTS)] = ()
    bonuses: Annotated[tuple[Points, ...], Meta(max_length=MOST_PARTS)] = ()
    provider: Name | None = None
    model: Name | None = None
    model_vendor: Name | None = None
    inference_provider: Name | None = None
    agent: Name | None = None
    cost_usd: Annotated[float, Meta(ge=0)] | None = None
    error: Words | None = None
    machinery_failure: bool | None = None
