"""Reads lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` of ``--log_samples``, and ``results_DATE.json``.

Each sample becomes a run. Fields that its line lacks (model, time, direction of metrics) come from the
results of the same date in the same folder. Results without samples become one run for each task."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from backend.formats.timestamps import write_instant
from backend.timelines.importers.json_reader import decode_leniently, open_document, read_lines
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, SkippedItem, Source
from backend.timelines.importers.value_conversion import (
    add_seconds,
    build_run,
    convert_number,
    convert_time,
    digest_config,
    find_vendor,
    hash_values,
)
from backend.timelines.model import Run, ScoreAdjustment

_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)")
_RESULTS = re.compile(r"results_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)")
_KNOWN = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash"),
    }
)
_LOWER_IS_BETTER = re.compile(r"perplexity|bits_per_byte|brier|^ter$|^[mr]?mse$|^mae$|loss|^wer$", re.I)


_ALL = "all"
"""The key of the one run of a task without samples."""


class Results(msgspec.Struct):
    results: dict[str, dict[str, Any]] = {}
    date: float | None = None
    model_name: str | None = None
    model_source: str | None = None
    config: dict[str, Any] = {}
    configs: Any = None
    versions: Any = None
    shots: Any = msgspec.field(name="n-shot", default=None)
    git_hash: Any = None
    higher_is_better: dict[str, dict[str, Any]] = {}
    total_evaluation_time_seconds: Any = None


class _Suite:
    """The common fields of all runs of one evaluation."""

    def __init__(self, source: Source, date: str | None, results: Results | None) -> None:
        given_results = results or Results()
        folder = source.path.parent.name.replace("__", "/") if "__" in source.path.parent.name else None
        model_name = (
            given_results.model_name
            or _find_pretrained_model(given_results.config.get("model_args"))
            or folder
        )
        self.source, self.results = source, given_results
        self.model = model_name
        self.backend = given_results.model_source or given_results.config.get("model")
        self.began = self._start(date)
        self.date = date or self.began
        self._digests: dict[str, str | None] = {}
        seconds = _parse_seconds(given_results.total_evaluation_time_seconds)
        self.span = (self.began, None if seconds is None else add_seconds(self.began, seconds))

    def _start(self, date: str | None) -> str:
        """Return the start of the evaluation: from its results to the second, else from the file names."""
        if (moment := convert_number(self.results.date)) is not None and 0 < moment < 32_503_680_000:
            return write_instant(datetime.fromtimestamp(moment, UTC))
        if date is None and self.source.options.at is not None:
            return write_instant(self.source.options.at)
        if date is None:
            raise InvalidItemError(
                "timestamp", "neither the file's name nor results beside it say it: use --at"
            )
        day, _, time = date.partition("T")
        return convert_time(f"{day}T{time.replace('-', ':')}", self.source.notes)

    def higher(self, task: str, metric: str) -> bool:
        """True if higher values of a metric are better: by the results, else by its name."""
        stated = self.results.higher_is_better.get(task, {}).get(metric)
        return stated if isinstance(stated, bool) else not _LOWER_IS_BETTER.search(metric)

    def build_run(
        self, task: str, case: str, key: str, metric: str, value: float, end: str | None = None
    ) -> Run:
        parts = {
            "model": self.model,
            "provider": "lm-eval",
            "model_vendor": find_vendor(self.model),
            "task": task,
        }
        return build_run(
            run_id=f"lm-eval-{hash_values(self.model, task, self.date, key)}",
            timestamp=self.began,
            finished_at=end,
            case_id=case,
            profile=self.source.profile(self.model, parts),
            maximum=1.0,
            deductions=[ScoreAdjustment(metric, 1 - value, f"{metric} is {value:g}")],
            provider="lm-eval",
            model=self.model,
            model_vendor=parts["model_vendor"],
            agent=self.backend if isinstance(self.backend, str) else None,
            evaluation_id=self._build_evaluation_id(task, key),
            suite="lm-eval" if key == _ALL else task,
            revision=self._find_revision(),
            config_digest=self._digest_config(task),
        )

    def _build_evaluation_id(self, task: str, key: str) -> str:
        parts = (self.model, self.date) if key == _ALL else (self.model, self.date, task)
        return f"lm-eval-{hash_values(*parts)}"

    def _find_revision(self) -> str | None:
        """Return the commit of the model, else that of the harness."""
        commits = (self.results.config.get("model_sha"), self.results.git_hash)
        return next((commit for commit in commits if isinstance(commit, str) and commit), None)

    def _digest_config(self, task: str) -> str | None:
        """Compute a digest of the model's settings and of the task's, which hold its prompts."""
        if task not in self._digests:
            results = self.results
            model = [results.config.get(name) for name in ("model_args", "gen_kwargs", "limit")]
            by_task = (results.configs, results.versions, results.shots)
            settings = [part.get(task) for part in by_task if isinstance(part, dict)]
            self._digests[task] = digest_config(*model, *settings)
        return self._digests[task]


def read(source: Source) -> Iterator[ImportItem]:
    try:
        if source.path.suffix == ".json":
            yield from _read_aggregated(source)
        else:
            yield from _read_samples(source)
    except InvalidItemError as error:
        yield ImportItem(source.file_error(error), 0)


def _read_samples(source: Source) -> Iterator[ImportItem]:
    name_match = _SAMPLES.fullmatch(source.path.stem)
    task, date = name_match.groups() if name_match else (source.path.stem, None)
    suite = _Suite(source, date, _load_companion_results(source.path, date))
    first: str | None = None
    for line in read_lines(source.path):
        if line.text == b"":
            continue
        try:
            if line.text is None:
                raise InvalidItemError("", "is too long for a line")
            sample = decode_leniently(line.text, dict[str, Any])
            chosen = str(sample.get("filter", "none"))
            first = first or chosen
            if chosen != first:
                raise SkippedItem(f"lines of a further filter ({chosen}); those of {first} are read")
            yield ImportItem(_sample(suite, task, sample), line.size, line.number, span=suite.span)
        except InvalidItemError as error:
            yield ImportItem(source.line_error(line.number, error), line.size, line.number)
        except SkippedItem as skipped:
            yield ImportItem(skipped, line.size, line.number)


def _sample(suite: _Suite, task: str, sample: dict[str, Any]) -> Run:
    document_id = sample.get("doc_id")
    if not isinstance(document_id, int | str):
        raise InvalidItemError("doc_id", "is missing")
    listed = sample.get("metrics")
    candidates = listed if isinstance(listed, list) else [key for key in sample if key not in _KNOWN]
    for metric in candidates:
        value = convert_number(sample.get(metric)) if isinstance(metric, str) else None
        if value is not None and 0 <= value <= 1 and suite.higher(task, metric):
            return suite.build_run(task, f"{task}/{document_id}", str(document_id), metric, value)
    reason = ", ".join(map(str, candidates[:5])) or "none"
    raise InvalidItemError(
        "metrics", f"hold no number from 0 to 1 of which more is better (there are: {reason})"
    )


def has_task_results(path: Path) -> bool:
    """True if ``results`` holds the metrics of tasks, as ``acc,none`` or with a standard error beside them.

    Results that were written without their configuration have no other member.
    """
    try:
        with open_document(path, Results) as document:
            tasks = document.results
    except InvalidItemError:
        return False
    return any(
        isinstance(value, int | float) and ("," in label or f"{label}_stderr" in metrics)
        for metrics in tasks.values()
        for label, value in metrics.items()
    )


def _read_aggregated(source: Source) -> Iterator[ImportItem]:
    name_match = _RESULTS.fullmatch(source.path.stem)
    date = name_match[1] if name_match else None
    if date and any(source.path.parent.glob(f"samples_*_{date}.jsonl")):
        reason = "results whose samples lie beside them: the samples are the runs"
        yield ImportItem(SkippedItem(reason), source.path.stat().st_size)
        return
    with open_document(source.path, Results) as results:
        suite = _Suite(source, date, results)
        if not results.results:
            raise InvalidItemError("results", "hold no task")
        size = source.path.stat().st_size // len(results.results)
        for task, metrics in results.results.items():
            try:
                yield ImportItem(_build_task_run(suite, task, metrics), size, place=task, span=suite.span)
            except SkippedItem as skipped:
                yield ImportItem(skipped, size, place=task)


def _build_task_run(suite: _Suite, task: str, metrics: dict[str, Any]) -> Run:
    for label, value in metrics.items():
        metric = label.partition(",")[0]
        share = convert_number(value)
        if metric.endswith("_stderr") or share is None or not 0 <= share <= 1:
            continue
        if metric not in ("alias", "sample_len") and suite.higher(task, metric):
            spent = suite.results.total_evaluation_time_seconds
            seconds = _parse_seconds(spent) if len(suite.results.results) == 1 else None
            end = add_seconds(suite.began, seconds) if seconds else None
            return suite.build_run(task, task, _ALL, metric, share, end)
    raise SkippedItem("tasks have no metric from 0 to 1 of which more is better")


def _parse_seconds(value: Any) -> float | None:
    try:
        return convert_number(float(value))
    except (TypeError, ValueError):
        return None


def _load_companion_results(path: Path, date: str | None) -> Results | None:
    """Load the results of the same date in the same folder. Raises :class:`InvalidItemError` if they are
    broken."""
    results_path = path.with_name(f"results_{date}.json")
    if date is None or not results_path.is_file():
        return None
    try:
        with open_document(results_path, Results) as results:
            return results
    except InvalidItemError as error:
        raise InvalidItemError("", f"{results_path.name} beside it: {error}") from None


def _find_pretrained_model(arguments: Any) -> str | None:
    """Return the model in ``model_args``, which is a string or an object."""
    if isinstance(arguments, str):
        arguments = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part)
    if not isinstance(arguments, dict):
        return None
    keys = ("peft", "delta", "pretrained", "model", "path", "engine")
    return next((str(arguments[key]) for key in keys if arguments.get(key)), None)


FORMAT = Format(
    key="lm-eval",
    title="lm-evaluation-harness",
    run_id="a hash of model, task, the file's date and doc_id",
    field_sources={
        "timestamp": "date of the results beside the samples, else the date in the file's name, as UTC",
        "case_id": "task/doc_id; of results without samples the task",
        "profile": "model_name of the results, else the folder's name",
        "max_score, raw_score": "1",
        "deductions": "what the first metric from 0 to 1 has lost, of which more is better",
        "success": "that metric is 1",
        "model_vendor": "by the model's name",
        "agent": "the backend that ran the model (hf, vllm, …)",
        "evaluation_id": "a hash of model, date and task; of results without samples, of model and date",
        "suite": "the task; lm-eval for results without samples",
        "revision": "model_sha, else git_hash",
        "config_digest": "the model's arguments, and the task's configuration, version and shots",
    },
    null_reasons={
        "finished_at": "samples say no end",
        "metrics": "the harness records no tool calls",
        "inference_provider": "the harness names none",
        "cost_usd": "the harness records none",
        "agent": "no results lie beside the samples",
        "model_vendor": "the model's name does not say",
        "error": "the harness records none",
    },
    read=read,
)
