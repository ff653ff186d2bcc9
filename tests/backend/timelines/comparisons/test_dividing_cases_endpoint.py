"""Tests ``GET /v1/comparisons/cases``."""

import pytest

from backend.timelines import text_store
from backend.timelines.model import GraderWords, RunTexts
from tests.support.runs.timeline_app import TimelinesApp, build_run_json


def _add(service: TimelinesApp, profile: str, case: str, score: float) -> None:
    scores = {"raw_score": 1, "total_score": score, "max_score": 1, "normalized_score": score}
    lost = [{"name": "check", "points": 1 - score, "description": f"{profile} missed it"}]
    service.add(
        profile,
        build_run_json(f"{profile} {case}", case_id=case, bonuses=[], **scores, deductions=lost),
    )


@pytest.fixture
def filled(service: TimelinesApp) -> TimelinesApp:
    for profile, scores in (("one", (1, 0.5, 0.5)), ("two", (0.25, 1, 0.5))):
        for case, score in zip(("x", "y", "z"), scores, strict=True):
            _add(service, profile, case, score)
    said = {
        ("one", "one x"): RunTexts("1 + 1?", "2", (GraderWords("judge", "right"),)),
        ("two", "two x"): RunTexts(),
    }
    text_store.add_texts(service.database, "own", said)
    return service


def test_a_dividing_case_shows_the_texts_of_both_sides(filled: TimelinesApp) -> None:
    first, second = filled.json("/v1/comparisons/cases?profile=one&profile=two")["cases"]
    assert (first["case_id"], first["difference"], first["question"]) == ("x", -0.75, "1 + 1?")
    assert (first["a"]["answer"], first["a"]["graders"]) == ("2", [{"name": "judge", "words": "right"}])
    assert (first["b"]["answer"], first["b"]["has_texts"]) == (None, True)
    assert (second["case_id"], second["question"], second["a"]["has_texts"]) == ("y", None, False)


def test_without_texts_the_deductions_say_why(filled: TimelinesApp) -> None:
    (found,) = filled.json("/v1/comparisons/cases?profile=one&profile=two&case_id=y")["cases"]
    assert [part["description"] for part in found["a"]["deductions"]] == ["one missed it"]
    assert (found["a"]["run_id"], found["b"]["success"], found["b"]["error"]) == ("one y", True, None)


def test_a_case_that_divides_nothing_is_listed_if_it_is_named(filled: TimelinesApp) -> None:
    (found,) = filled.json("/v1/comparisons/cases?profile=one&profile=two&case_id=z")["cases"]
    assert found["difference"] == 0


def test_a_limit_of_any_size_is_capped(filled: TimelinesApp) -> None:
    path = "/v1/comparisons/cases?profile=one&profile=two"
    most = filled.json(path)["cases"]
    assert len(most) > 1
    assert filled.json(f"{path}&limit=1")["cases"] == most[:1]
    for limit in ("0", "51", "9" * 40):
        assert filled.json(f"{path}&limit={limit}")["cases"] == most


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("profile=one", 400),
        ("profile=one&profile=two&profile=three", 400),
        ("profile=one&profile=two&limit=-1", 400),
        ("profile=one&profile=nobody", 404),
        ("profile=one&split_revision=none", 404),
    ],
)
def test_wrong_input_is_refused(refusing: TimelinesApp, query: str, status: int) -> None:
    assert refusing.get(f"/v1/comparisons/cases?{query}").status == status
