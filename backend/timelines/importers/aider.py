"""Reads aider's leaderboards: YAML files with one entry for a whole suite of exercises."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from backend.formats.yaml_loader import SafeLoader
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, Source
from backend.timelines.importers.value_conversion import build_run, convert_number, digest_config, find_vendor
from backend.timelines.model import Run, ScoreAdjustment

_MAX_FILE_BYTES = 32 * 1024 * 1024
_STARTED = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{2})-(\d{2})-(\d{2})--")
_ROUTE = re.compile(r"--model[ =]+\"?([a-z0-9_.-]+)/", re.ASCII | re.IGNORECASE)
_ROUTES = {"gemini": "google-ai-studio", "vertex_ai": "vertex-ai", "fireworks_ai": "fireworks"}
_SETTINGS = ("edit_format", "editor_model", "editor_edit_format", "reasoning_effort", "thinking_tokens")
_SUITES = ("polyglot", "refactor", "code-in-json")


def read(source: Source) -> Iterator[ImportItem]:
    size = source.path.stat().st_size
    if size > _MAX_FILE_BYTES:
        yield ImportItem(
            source.file_error(f"is larger than {_MAX_FILE_BYTES:,} bytes, which no leaderboard is"), size
        )
        return
    try:
        entries = SafeLoader(source.path.read_bytes()).get_single_data()
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        yield ImportItem(source.file_error(f"must be valid YAML: {' '.join(str(error).split())}"), size)
        return
    if not isinstance(entries, list):
        yield ImportItem(source.file_error("must be a list of leaderboard entries"), size)
        return
    for index, entry in enumerate(entries, 1):
        location = f"entry {index}"
        try:
            if not isinstance(entry, dict):
                raise InvalidItemError("", "must be a mapping with dirname, model and test_cases")
            yield ImportItem(_parse_run(source, entry), size // len(entries), place=location)
        except InvalidItemError as error:
            yield ImportItem(source.file_error(error, location), size // len(entries))


def _parse_run(source: Source, entry: dict[Any, Any]) -> Run:
    folder, model = entry.get("dirname"), entry.get("model")
    if not isinstance(folder, str) or not (began := _STARTED.match(folder)):
        raise InvalidItemError("dirname", "must start with a time, as in 2025-01-20-19-11-38--name")
    if not isinstance(model, str):
        raise InvalidItemError("model", "is missing")
    exercises = convert_number(entry.get("test_cases"))
    if not exercises or exercises < 0:
        raise InvalidItemError("test_cases", "must be a number of exercises above 0")
    first = _count_solved(source, entry, 1, exercises)
    last = (
        _count_solved(source, entry, 2, exercises)
        if "pass_rate_2" in entry or "pass_num_2" in entry
        else first
    )
    if not 0 <= first <= last <= exercises:
        raise InvalidItemError(
            "pass_num_2", f"is {last:g}, after {first:g} of {exercises:g} at the first try"
        )
    source.notes.conversions["the time of the run's folder was taken as UTC"] += 1
    suite = _find_suite_name(source.path)
    agent = f"aider {entry.get('edit_format') or 'whole'}"
    route = _ROUTE.search(str(entry.get("command") or ""))
    parts = {
        "model": model,
        "provider": "aider",
        "agent": agent,
        "task": suite,
        "model_vendor": find_vendor(model),
        "inference_provider": _ROUTES.get(route[1], route[1]) if route else None,
    }
    cost = convert_number(entry.get("total_cost"))
    return build_run(
        run_id=f"aider-{folder}",
        timestamp=f"{began[1]}T{began[2]}:{began[3]}:{began[4]}Z",
        case_id=suite,
        profile=source.profile(f"{agent}: {model}", parts),
        success=exercises >= (convert_number(entry.get("total_tests")) or exercises),
        raw=first,
        maximum=exercises,
        bonuses=[
            ScoreAdjustment(
                "second_try", last - first, f"{last - first:g} exercises solved on the second try"
            )
        ],
        provider="aider",
        model=model,
        model_vendor=parts["model_vendor"],
        inference_provider=parts["inference_provider"],
        agent=agent,
        cost_usd=cost if cost and cost > 0 else None,
        evaluation_id=f"aider-{folder}",
        suite=suite,
        revision=_read_text(entry.get("commit_hash")),
        config_digest=digest_config(*(str(entry.get(name) or "") for name in _SETTINGS)),
    )


def _read_text(value: object) -> str | None:
    """Return a text, or a number as text: YAML reads some commits as numbers."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _count_solved(source: Source, entry: dict[Any, Any], attempt: int, exercises: float) -> float:
    """Return the exercises solved up to an attempt; if the file has only a rate, the rounded number from
    it."""
    if (count := convert_number(entry.get(f"pass_num_{attempt}"))) is not None:
        return count
    rate = convert_number(entry.get(f"pass_rate_{attempt}"))
    if rate is None:
        raise InvalidItemError(f"pass_rate_{attempt}", "is missing")
    source.notes.conversions["counts of solved exercises are the rate of them, rounded"] += 1
    return float(round(rate * exercises / 100))


def _find_suite_name(path: Path) -> str:
    """Return the suite, which only the name of the file contains."""
    return f"aider-{next((suite for suite in _SUITES if suite in path.stem), 'edit')}"


FORMAT = Format(
    key="aider",
    title="aider leaderboard",
    run_id="«aider-» and dirname",
    field_sources={
        "timestamp": "the time in dirname, taken as UTC",
        "case_id": "the suite, after the file's name: aider-polyglot, -refactor, -code-in-json or -edit",
        "profile": "«aider EDIT_FORMAT: MODEL»",
        "success": "all exercises of the suite were run (test_cases, total_tests)",
        "max_score": "test_cases",
        "raw_score": "pass_num_1, else pass_rate_1 of test_cases",
        "bonuses": "second_try: what pass_num_2 has more",
        "model_vendor": "by the model's name",
        "inference_provider": "the route in command (--model ROUTE/…)",
        "cost_usd": "total_cost, for the whole suite",
        "evaluation_id": "that of the run",
        "revision": "commit_hash",
        "config_digest": "edit format, editor, reasoning effort and thinking tokens",
    },
    null_reasons={
        "finished_at": "the file has no end",
        "metrics": "the file counts no tool calls",
        "model_vendor": "the model's name does not say",
        "inference_provider": "the command names no route",
        "cost_usd": "total_cost is missing or 0",
        "error": "the file records none",
    },
    read=read,
)
