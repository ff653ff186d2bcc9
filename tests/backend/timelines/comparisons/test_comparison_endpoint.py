"""Tests ``GET /v1/comparisons``."""

from typing import Any
from urllib.parse import urlencode

import pytest

from backend.timelines import stored_columns
from backend.timelines.model import Profile
from backend.timelines.store_snapshot import Timeline
from tests.support.runs.timeline_app import TimelinesApp, build_run_json

GAINS = (0.12, 0.05, 0.1, 0.08, 0.14, 0.02, 0.1, 0.07)


def build_scored(run_id: str, case: str, score: float, **more: Any) -> dict[str, Any]:
    scores = {"total_score": score, "raw_score": score, "max_score": 1, "normalized_score": score}
    return build_run_json(run_id, case_id=case, **{**scores, "deductions": [], "bonuses": [], **more})


def compare(service: TimelinesApp, *query: tuple[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = service.json(f"/v1/comparisons?{urlencode(query)}")
    return result


@pytest.fixture
def filled(service: TimelinesApp) -> TimelinesApp:
    return fill(service)


def fill(service: TimelinesApp) -> TimelinesApp:
    service.configure(three=Profile(), empty=Profile())
    for profile, sign in (("one", 0), ("two", 1), ("three", -1)):
        service.add(
            profile,
            *(
                build_scored(f"{profile} {n}", f"case {n}", 0.5 + sign * gain, minute=n)
                for n, gain in enumerate(GAINS)
            ),
        )
    return service


def test_the_notes_name_profiles_whose_runs_are_too_many_to_be_read(
    filled: TimelinesApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_columns, "MAX_RUNS_OF_A_REQUEST", 12)
    (found,) = compare(filled, ("profile", "one"), ("profile", "two"))["comparisons"]
    assert [
        note for note in found["notes"] if note.startswith("Only the newest 6 of 8 runs of two were read")
    ]


def test_what_small_profiles_leave_of_the_limit_goes_to_larger_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_columns, "MAX_RUNS_OF_A_REQUEST", 10)
    timeline = Timeline("own", "", Profile(), 1, 0, ())
    timelines = {name: timeline._replace(runs=runs) for name, runs in (("big", 50), ("small", 2), ("mid", 9))}
    assert stored_columns.share_runs(timelines, list(timelines)) == {"small": 2, "mid": 4, "big": 4}


def test_a_comparison_has_figures_a_sentence_and_a_row_for_each_case(filled: TimelinesApp) -> None:
    from scipy import stats

    result = compare(filled, ("profile", "one"), ("profile", "two"))
    assert result["family"] is None
    (found,) = result["comparisons"]
    assert (found["verdict"], found["a"]["profile"], found["b"]["runs"]) == ("ahead", "one", 8)
    assert found["text"].startswith(
        "two is ahead by 8.5 points, 95% 4.4 to 11.1, 8 shared cases; with 32 shared cases"
    )
    figures = found["comparison"]
    assert figures["p"] == pytest.approx(stats.ttest_1samp(GAINS, 0).pvalue, abs=1e-12)
    assert (figures["cases_needed_for_2_points"], figures["p_holm"]) == (32, None)
    assert [row["case_id"] for row in found["cases"]][:2] == ["case 5", "case 1"]


def test_a_list_is_corrected_for_all_of_its_comparisons(filled: TimelinesApp) -> None:
    from scipy import stats

    result = compare(filled, *(("profile", name) for name in ("one", "two", "three", "empty")))
    figures = [found["comparison"] for found in result["comparisons"]]
    p = [figure["p"] for figure in figures[:2]]
    expected = stats.false_discovery_control(p)
    assert [figure["p_bh"] for figure in figures[:2]] == pytest.approx(expected, abs=1e-12)
    assert [figure["p_holm"] for figure in figures[:2]] == pytest.approx([2 * min(p), 2 * min(p)])
    assert (result["comparisons"][2]["verdict"], figures[2]) == ("no_runs", None)
    counts = {name: result["family"][name] for name in ("compared", "found", "found_bh", "found_holm")}
    assert counts == {"compared": 2, "found": 2, "found_bh": 2, "found_holm": 2}


def test_cases_and_times_filter_the_runs_and_the_language_the_sentence(filled: TimelinesApp) -> None:
    both = (("profile", "one"), ("profile", "two"))
    by_case = compare(filled, *both, ("case_id", "case 1"), ("case_id", "case 2"))
    assert by_case["comparisons"][0]["comparison"]["shared_cases"] == 2
    times = (("from", "2026-03-01T10:02:00Z"), ("to", "2026-03-01T10:07:00Z"), ("lang", "ja"))
    by_time = compare(filled, *both, *times)["comparisons"][0]
    assert by_time["comparison"]["shared_cases"] == 5
    assert "ポイント" in by_time["text"]


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("", 400, "query.profile"),
        ("profile=one", 400, "query.profile: Must occur twice or more"),
        ("profile=one&profile=one", 400, "query.profile: Must not name a profile twice"),
        ("&".join(f"profile={n}" for n in range(21)), 400, "query.profile"),
        ("profile=one&profile=nobody", 404, "There is no profile 'nobody'"),
        ("profile=one&evaluation=x", 400, "query.evaluation"),
        ("profile=one&evaluation=x&evaluation=x", 400, "Must have two different ids"),
        ("profile=one&evaluation=x&evaluation=y&split_revision=z", 400, "query.evaluation"),
        ("profile=one&profile=two&split_revision=z", 400, "Must occur once"),
        ("profile=one&split_revision=z&split_evaluation=z", 400, "another split"),
        ("profile=one&split_at=soon", 400, "query.split_at"),
        ("profile=one&split_alert=soon", 400, "query.split_alert"),
        ("profile=one&split_alert=latest", 404, "one has no alert."),
        ("profile=one&split_evaluation=z", 404, "one has no run of the evaluation 'z'"),
        ("profile=one&profile=two&from=soon", 400, "query.from"),
        ("profile=one&profile=two&lang=fr", 400, "query.lang"),
        ("profile=one&profile=%00", 404, "There is no profile"),
    ],
)
def test_wrong_input_is_refused_with_the_field(
    refusing: TimelinesApp, query: str, status: int, field: str
) -> None:
    answer = refusing.get(f"/v1/comparisons?{query}")
    assert answer.status == status
    assert field in answer.json()["detail"]


def test_a_profile_is_compared_with_itself(service: TimelinesApp) -> None:
    service.add(
        "one",
        *(
            build_scored(
                f"{day} {n}",
                f"case {n}",
                0.5 + day * gain,
                timestamp=f"2026-03-0{1 + day}T10:0{n}:00Z",
                evaluation_id=f"e{day}",
                revision=f"r{day}",
            )
            for day in range(2)
            for n, gain in enumerate(GAINS)
        ),
    )
    for query, name in (
        ((("split_evaluation", "e1"),), "one since evaluation e1"),
        ((("split_revision", "r1"),), "one since revision r1"),
        ((("split_at", "2026-03-01T10:04:00Z"),), "one since 1 Mar 2026 10:04"),
        ((("evaluation", "e0"), ("evaluation", "e1")), "one in evaluation e1"),
    ):
        (found,) = compare(service, ("profile", "one"), *query)["comparisons"]
        assert found["b"]["profile"] == name
        assert found["comparison"]["difference"] == pytest.approx(0.085)


def test_posted_evaluation_fields_are_stored_but_leave_the_timeline_as_it_was(
    sqlite_service: TimelinesApp,
) -> None:
    more = {"evaluation_id": "e", "suite": "s", "revision": "r", "config_digest": "c"}
    sqlite_service.add("one", build_scored("with", "case", 1, **more), build_scored("without", "case", 1))
    with_fields, without = sqlite_service.json("/v1/timelines/one")["entries"]
    assert with_fields.keys() == without.keys()
    assert not with_fields.keys() & more.keys()
    stored = sqlite_service.json("/v1/runs/with")
    assert {name: stored[name] for name in more} == more
    assert sqlite_service.json("/v1/runs/without")["suite"] is None


@pytest.mark.parametrize("value", [1, "", "x" * 501, "a\0b"])
def test_a_wrong_evaluation_field_is_refused(refusing: TimelinesApp, value: object) -> None:
    answer = refusing.post("one", build_scored("x", "case", 1, evaluation_id=value))
    assert answer.status == 400
    assert answer.json()["errors"][0]["loc"] == ["body", "evaluation_id"]
