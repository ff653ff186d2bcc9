"""Import of aider's leaderboards."""

from pathlib import Path

import pytest

from tests.support.runs.run_files import Reading

ENTRY = """
- dirname: 2025-01-20-19-11-38--r1-diff
  test_cases: 224
  model: DeepSeek R1
  edit_format: diff
  commit_hash: 5650697-dirty
  pass_rate_1: 26.7
  pass_rate_2: 57.1
  pass_num_1: 60
  pass_num_2: 128
  percent_cases_well_formed: 96.9
  total_tests: 225
  command: aider --model openrouter/deepseek/deepseek-r1
  date: 2025-01-20
  versions: 0.71.2.dev
  total_cost: 5.4193
"""
OLD = """
- dirname: 2023-11-06-21-23-59--gpt-3.5-turbo-0301
  model: gpt-3.5-turbo-0301
  edit_format: whole
  test_cases: 133
  pass_rate_1: 50.4
  pass_rate_2: 57.9
  command: aider
"""


def write_file(folder: Path, text: str, name: str = "polyglot_leaderboard.yml") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_an_entry_is_a_run_of_the_whole_suite(tmp_path: Path) -> None:
    run = Reading(write_file(tmp_path, ENTRY)).only
    assert (run.run_id, run.timestamp) == ("aider-2025-01-20-19-11-38--r1-diff", "2025-01-20T19:11:38Z")
    assert (run.case_id, run.profile) == ("aider-polyglot", "aider diff: DeepSeek R1")
    assert (run.raw_score, run.total_score, run.max_score) == (60, 128, 224)
    assert [(part.name, part.points) for part in run.bonuses] == [("second_try", 68)]
    assert (run.model_vendor, run.inference_provider, run.cost_usd) == ("deepseek", "openrouter", 5.4193)
    assert (run.success, run.provider) == (False, "aider")


def test_old_entries_have_only_rates(tmp_path: Path) -> None:
    reading = Reading(write_file(tmp_path, OLD, "edit_leaderboard.yml"))
    run = reading.only
    assert (run.case_id, run.raw_score, run.total_score, run.max_score) == ("aider-edit", 67, 77, 133)
    assert (run.success, run.inference_provider, run.cost_usd) == (True, None, None)
    assert reading.notes.conversions["counts of solved exercises are the rate of them, rounded"] == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("- dirname: nothing\n  model: x", ": entry 1: dirname: must start with a time, as in 2025-01-20-19"),
        (ENTRY.replace("  model: DeepSeek R1\n", ""), ": entry 1: model: is missing"),
        (ENTRY.replace("test_cases: 224", "test_cases: none"), ": entry 1: test_cases: must be a number"),
        (ENTRY.replace("pass_num_2: 128", "pass_num_2: 12"), ": entry 1: pass_num_2: is 12, after 60 of 224"),
        ("a: b", ": must be a list of leaderboard entries"),
        ("- 1", ": entry 1: must be a mapping"),
        ("- [", ": must be valid YAML"),
        ("- dirname: !!python/object/apply:os.system [id]", ": must be valid YAML: could not determine"),
        ("- dirname: &a [x, *a]\n  model: x", ": entry 1: dirname: must start with a time"),
    ],
)  # fmt: skip
def test_mistakes_are_reported(tmp_path: Path, text: str, reason: str) -> None:
    reading = Reading(write_file(tmp_path, text))
    assert reading.runs == []
    assert reading.errors[0].startswith(reason)
