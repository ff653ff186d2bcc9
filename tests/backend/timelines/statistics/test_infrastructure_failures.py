import msgspec
import pytest

from backend.timelines.model import Metrics, Run, ScoreAdjustment
from backend.timelines.statistics.infrastructure_failures import is_infrastructure_failure

FAILED = Run(
    run_id="1",
    timestamp="2026-03-01T00:00:00Z",
    case_id="case",
    success=False,
    total_score=0,
    raw_score=3,
    max_score=3,
    normalized_score=0,
    deductions=(ScoreAdjustment("check_a", 1, "connection refused"), ScoreAdjustment("check_b", 2)),
)


def is_failure(**changed: object) -> bool:
    run = msgspec.structs.replace(FAILED, **changed)
    return is_infrastructure_failure(run, reported=run.infrastructure_failure, error=run.error)


@pytest.mark.parametrize(
    "error",
    [
        "bash: mini: command not found",
        "The agent was never started.",
        "docker: could not start the container",
        "OSError: [Errno 28] No space left on device",
        "HTTP status 503",
        "openai.RateLimitError: Error code: 429",
        "ConnectionError: connection reset by peer",
    ],
)
def test_infrastructure_errors_are_detected(error: str) -> None:
    assert is_failure(error=error)


@pytest.mark.parametrize("error", [None, "", "AssertionError: 429 != 430", "timed out after 600 s"])
def test_ambiguous_errors_count_for_the_model(error: str | None) -> None:
    assert not is_failure(error=error)


def test_descriptions_of_checks_are_not_searched() -> None:
    assert not is_failure()


def test_the_senders_statement_decides() -> None:
    assert is_failure(infrastructure_failure=True, success=True, total_score=3)
    assert not is_failure(infrastructure_failure=False, error="command not found")


@pytest.mark.parametrize(
    "evidence",
    [
        {"total_score": 1.0},
        {"success": True},
        {"metrics": Metrics(read_file_calls=1)},
        {"bonuses": (ScoreAdjustment("kind_words", 1),)},
    ],
)
def test_a_run_with_actions_or_points_is_no_infrastructure_failure(evidence: dict[str, object]) -> None:
    assert not is_failure(error="command not found", **evidence)


def test_a_failure_mode_of_the_harness_counts() -> None:
    result = "the source holds no check results for this run (failure_mode: unknown_agent_error)"
    assert is_failure(deductions=(ScoreAdjustment("no_test_results", 3, result),))
    assert not is_failure(
        deductions=(
            ScoreAdjustment("no_test_results", 3, result.replace("unknown_agent_error", "test_timeout")),
        )
    )
    assert is_failure(deductions=(ScoreAdjustment("sandbox_failed", 3),))
