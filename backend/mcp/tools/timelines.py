"""Defines the tools of evaluation timelines: runs of profiles, and the comparison of two profiles."""

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from backend.mcp.links import Query
from backend.mcp.tool_result import ToolResult, Truncator
from backend.mcp.tools.context import ToolContext, get_service
from backend.timelines.comparisons.schemas import VerdictKind

MAX_PROFILES = 50
MAX_CASES = 30
RUNS_WITHOUT_PROFILE = 3
"""How many runs of each profile are listed if no profile is chosen."""
ProfileName = Annotated[str, Field(min_length=1, max_length=500)]


class Run(BaseModel):
    run_id: str
    timestamp: str
    case_id: str
    success: bool
    score: float = Field(description="A fraction of the maximum score.")
    deductions: list[str]


class ProfileRuns(BaseModel):
    profile: str
    model: str | None
    model_vendor: str | None
    runs: list[Run] = Field(description="Newest first.")


class RunListing(ToolResult):
    profiles: list[ProfileRuns]


class ComparedProfile(BaseModel):
    profile: str
    mean: float | None = Field(description="Mean of the case means, a fraction of the maximum score.")
    interval: list[float] | None = Field(description="95 %.")
    pass_rate: float | None
    cases: int
    runs: int


class Difference(BaseModel):
    b_minus_a: float
    interval: list[float] | None = Field(description="95 %, over the cases.")
    p: float | None
    shared_cases: int
    b_wins: int
    ties: int
    b_losses: int
    smallest_detectable: float | None = Field(description="A true difference that is found with 80 % power.")


class ComparedCase(BaseModel):
    case_id: str
    a: float
    b: float
    difference: float


class Comparison(ToolResult):
    verdict: VerdictKind
    sentence: str
    notes: list[str]
    a: ComparedProfile
    b: ComparedProfile
    difference: Difference | None = Field(description="Null if there is nothing to compare.")
    cases: list[ComparedCase] = Field(description="The largest losses of B first.")


async def list_runs(
    context: ToolContext,
    profile: Annotated[
        str, Field(max_length=500, description="A profile's name. Empty: every profile with its newest runs.")
    ] = "",
    case_id: Annotated[str, Field(max_length=500, description="Only runs of this case.")] = "",
    limit: Annotated[int, Field(ge=1, le=100, description="Runs of the profile.")] = 20,
) -> RunListing:
    """List the scored evaluation runs of a profile, newest first, or all profiles with their newest runs."""
    service = get_service(context)
    path = f"/v1/timelines/{quote(profile, safe='')}" if profile else "/v1/timelines"
    query: Query = {"case_id": case_id, "limit": limit if profile else RUNS_WITHOUT_PROFILE}
    answer = await service.get(path, query)
    by_name = {profile: answer} if profile else answer["profiles"]
    cutter = Truncator()
    page = {"profiles": profile.replace("\\", "\\\\").replace(",", "\\,")}
    return RunListing(
        profiles=[
            _build_timeline(name, timeline)
            for name, timeline in cutter.limit_list(list(by_name.items()), MAX_PROFILES, "profiles")
        ],
        dashboard_url=service.links.build_page_url("timelines", tab="runs", case=case_id, **page),
        api_url=service.links.build_api_url(path, {"case_id": case_id}),
        data_mode=service.data_mode,
        cut=cutter.cut,
    )


async def compare_profiles(a: ProfileName, b: ProfileName, context: ToolContext) -> Comparison:
    """Compare two profiles on their shared cases: who is ahead, by how much, and whether that is certain."""
    service = get_service(context)
    query: Query = {"profile": [a, b]}
    comparison = (await service.get("/v1/comparisons", query))["comparisons"][0]
    figures, cutter = comparison["comparison"], Truncator()
    return Comparison(
        verdict=comparison["verdict"],
        sentence=comparison["text"],
        notes=comparison["notes"],
        a=comparison["a"],
        b=comparison["b"],
        difference=None if figures is None else _build_difference(figures),
        cases=cutter.limit_list(comparison["cases"], MAX_CASES, "cases"),
        dashboard_url=service.links.build_page_url("timelines", tab="compare", a=a, b=b),
        api_url=service.links.build_api_url("/v1/comparisons", query),
        data_mode=service.data_mode,
        cut=cutter.cut,
    )


def _build_timeline(profile: str, timeline: dict[str, Any]) -> ProfileRuns:
    runs = [_build_run(entry) for entry in reversed(timeline["entries"])]
    return ProfileRuns(**{**timeline, "profile": profile, "runs": runs})


def _build_run(entry: dict[str, Any]) -> Run:
    deductions = [f"{part['name']}: {part['points']:g}" for part in entry["deductions"]]
    return Run(**{**entry, "score": entry["normalized_score"], "deductions": deductions})


def _build_difference(figures: dict[str, Any]) -> Difference:
    return Difference(
        b_minus_a=figures["difference"],
        interval=figures["interval"],
        p=figures["p"],
        shared_cases=figures["shared_cases"],
        b_wins=figures["wins"],
        ties=figures["ties"],
        b_losses=figures["losses"],
        smallest_detectable=figures["least_detectable"],
    )
