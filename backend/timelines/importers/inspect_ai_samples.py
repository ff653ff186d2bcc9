"""Converts a sample of an Inspect log to a run."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from backend.timelines.importers.model import InvalidItemError, Notes, SkippedItem, Source
from backend.timelines.importers.tool_calls import Behaviour
from backend.timelines.importers.value_conversion import (
    add_seconds,
    build_run,
    convert_name,
    convert_number,
    convert_text,
    convert_time,
    digest_config,
    find_vendor,
    hash_values,
)
from backend.timelines.model import Metrics, Run, ScoreAdjustment

_SCORE_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""The numeric values that Inspect's own metrics assign to these words."""
_OPERATION = frozenset(
    ("max_connections", "adaptive_connections", "max_retries", "timeout", "attempt_timeout", "batch")
)
_REFERENCE = re.compile(r"(?:attachment|tc)://(\w+)", re.ASCII)
Texts = Callable[[str], str | None]
"""Looks up a text by its reference."""
_PLACEHOLDER = "88F74D2C"
"""The name of the one score in the oldest logs."""


class Score(msgspec.Struct):
    value: Any = None
    explanation: Any = None
    answer: Any = None


class Event(msgspec.Struct):
    """An event of the transcript. Only tool calls use more than the kind."""

    event: str = ""
    timestamp: Any = None
    function: Any = None
    arguments: Any = None
    error: Any = None
    events: list["Event"] | None = None


class Transcript(msgspec.Struct):
    """The events in logs of 2024, with the texts that they refer to."""

    events: list[Event] = []
    content: dict[str, str] = {}


class Usage(msgspec.Struct):
    total_cost: float | None = None


class Sample(msgspec.Struct):
    """A sample or its summary: ``error`` and ``limit`` are objects in a sample and strings in a summary."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score] | None = None
    score: Score | None = None
    started_at: str | None = None
    completed_at: str | None = None
    total_time: Any = None
    uuid: str | None = None
    error: Any = None
    limit: Any = None
    invalidation: Any = None
    model_usage: dict[str, Usage] | None = None
    events: list[Event] | None = None
    attachments: dict[str, str] = {}
    transcript: Transcript | None = None


class Spec(msgspec.Struct):
    task: str
    model: str
    created: str = ""
    eval_id: str = ""
    run_id: str = ""
    task_id: str = ""
    solver: str | None = None
    solver_args: Any = None
    task_version: Any = None
    task_args: Any = None
    model_args: Any = None
    model_generate_config: Any = None
    revision: Any = None


class Stats(msgspec.Struct):
    started_at: str = ""
    completed_at: str | None = None


class Header(msgspec.Struct, kw_only=True):
    """The header of a log."""

    eval: Spec
    version: int = 2
    status: str = "started"
    plan: Any = None
    stats: Stats = msgspec.field(default_factory=Stats)


class Evaluation:
    """One log, whose header supplies fields of every sample."""

    def __init__(self, source: Source, header: Header) -> None:
        spec = header.eval
        self._source, self._header = source, header
        route, _, rest = spec.model.partition("/")
        self._parts: dict[str, str | None] = {
            "model": rest or spec.model,
            "provider": "inspect_ai",
            "model_vendor": find_vendor(spec.model),
            "inference_provider": route if rest else None,
            "agent": spec.solver,
            "task": spec.task,
        }
        default = f"{spec.model} ({spec.solver})" if spec.solver else spec.model
        self._profile = source.profile(default, self._parts)
        self._id = spec.eval_id or hash_values(spec.run_id, spec.task_id, spec.created)
        self._revision = _find_revision(spec.revision)
        self._config_digest = _digest_config(header)
        self.span = _parse_time(header.stats.started_at), _parse_time(header.stats.completed_at)

    def build_run(
        self, sample: Sample, events: Iterator[Event] | None = None, texts: Texts | None = None
    ) -> Run:
        """Convert ``sample`` to a run. Raises :class:`InvalidItemError` and :class:`SkippedItem`.

        ``events`` and ``texts`` belong to a split sample.
        """
        if sample.invalidation is not None:
            raise SkippedItem("samples were invalidated")
        spec, parts = self._header.eval, self._parts
        failure = _find_failure(sample)
        maximum, deductions = self._compute_points(sample, failure)
        began = self._find_start(sample)
        cost = [usage.total_cost for usage in (sample.model_usage or {}).values()]
        known_costs = [convert_number(value) or 0.0 for value in cost if value is not None]
        return build_run(
            run_id=sample.uuid or self._build_id(sample),
            timestamp=began,
            finished_at=self._find_end(sample, began),
            case_id=f"{spec.task}/{sample.id}",
            profile=self._profile,
            maximum=maximum,
            deductions=deductions,
            metrics=_count_tool_calls(sample, events, texts),
            provider=parts["provider"],
            model=parts["model"],
            model_vendor=parts["model_vendor"],
            inference_provider=parts["inference_provider"],
            agent=parts["agent"],
            cost_usd=sum(known_costs) if known_costs else None,
            error=failure,
            infrastructure_failure=failure is not None,
            evaluation_id=self._id,
            suite=spec.task,
            revision=self._revision,
            config_digest=self._config_digest,
        )

    def _build_id(self, sample: Sample) -> str:
        return f"{self._id}:{sample.id}:{sample.epoch}"

    def _find_start(self, sample: Sample) -> str:
        notes, header = self._source.notes, self._header
        if sample.started_at:
            return convert_time(sample.started_at, notes, "started_at")
        first = next(iter(_list_events(sample)), None)
        if first is not None and isinstance(first.timestamp, str):
            notes.conversions["samples without a time have that of their first event"] += 1
            return convert_time(first.timestamp, notes, "events.0.timestamp")
        notes.conversions["samples without a time have that of the evaluation"] += 1
        return convert_time(header.stats.started_at or header.eval.created or None, notes, "created")

    def _find_end(self, sample: Sample, began: str) -> str | None:
        if sample.completed_at:
            return convert_time(sample.completed_at, self._source.notes)
        seconds = convert_number(sample.total_time)
        if seconds is None:
            return None
        self._source.notes.conversions["samples without an end have that of their total time"] += 1
        return add_seconds(began, seconds)

    def _compute_points(self, sample: Sample, failure: str | None) -> tuple[float, list[ScoreAdjustment]]:
        """Compute the maximum, 1 for each score, and the deductions. Raises :class:`SkippedItem` without a
        score."""
        scores = sample.scores or ({_PLACEHOLDER: sample.score} if sample.score else {})
        maximum = 0
        deductions: list[ScoreAdjustment] = []
        beyond = ""
        for label, value, score in _list_values(scores):
            score_value = _convert_score(value)
            if score_value is None:
                continue
            if not 0 <= score_value <= 1:
                beyond = f"scores.{label}"
                self._source.notes.skipped["scores beyond 0 to 1, whose maximum the log does not say"] += 1
                continue
            maximum += 1
            explanation = score.explanation if isinstance(score.explanation, str) else f"value: {value}"
            deductions.append(
                ScoreAdjustment(convert_name(label), 1 - score_value, convert_text(explanation))
            )
        if maximum:
            return float(maximum), deductions
        if failure is not None:
            return 1.0, [ScoreAdjustment("error", 1.0, convert_text(failure))]
        if beyond:
            raise InvalidItemError(beyond, "is beyond 0 to 1, and the log does not say what its maximum is")
        raise SkippedItem(f"samples have no score (the evaluation's status is {self._header.status})")


def _parse_time(text: str | None) -> str | None:
    """Return a time of the evaluation; None if it is missing or wrong."""
    try:
        return convert_time(text, Notes()) if text else None
    except InvalidItemError:
        return None


def _find_revision(revision: Any) -> str | None:
    """Return the commit, marked if files were changed."""
    if not isinstance(revision, dict) or not isinstance(revision.get("commit"), str):
        return None
    return f"{revision['commit']}{'-dirty' if revision.get('dirty') else ''}"


def _digest_config(header: Header) -> str | None:
    """Compute a digest of arguments, generation settings, and the steps with their prompts and tools."""
    spec = header.eval
    plan = header.plan if isinstance(header.plan, dict) else {}
    generation = [_drop_operation(config) for config in (spec.model_generate_config, plan.get("config"))]
    arguments = (spec.model_args, spec.task_args, spec.solver_args)
    return digest_config(*generation, *arguments, plan.get("steps"), spec.task_version)


def _drop_operation(config: Any) -> Any:
    """Drop settings that change when an answer comes, and not the answer."""
    if not isinstance(config, dict):
        return config
    return {name: value for name, value in config.items() if name not in _OPERATION}


def _list_events(sample: Sample) -> list[Event]:
    return sample.events or (sample.transcript.events if sample.transcript else [])


def _count_tool_calls(sample: Sample, events: Iterator[Event] | None, texts: Texts | None) -> Metrics:
    behaviour = Behaviour()
    if texts is None:
        texts = {**(sample.transcript.content if sample.transcript else {}), **sample.attachments}.get
    for event in _flatten(events if events is not None else iter(_list_events(sample))):
        if event.event == "tool" and isinstance(event.function, str):
            arguments = _resolve_texts(event.arguments, texts)
            behaviour.call(event.function, arguments, failed=event.error is not None)
    return behaviour.metrics()


def _resolve_texts(arguments: Any, texts: Texts) -> Any:
    """Replace references to long texts in the arguments by the texts."""
    if not isinstance(arguments, dict):
        return arguments
    return {name: _resolve_text(value, texts) for name, value in arguments.items()}


def _resolve_text(value: Any, texts: Texts) -> Any:
    if not isinstance(value, str) or not (reference := _REFERENCE.fullmatch(value)):
        return value
    resolved = texts(reference[1])
    return value if resolved is None else resolved


def _flatten(events: Iterator[Event]) -> Iterator[Event]:
    """Generate events and their nested events, as in old logs."""
    stack = [events]
    while stack:
        event = next(stack[-1], None)
        if event is None:
            stack.pop()
            continue
        yield event
        if event.events:
            stack.append(iter(event.events))


def _find_failure(sample: Sample) -> str | None:
    """Return the reason of an infrastructure failure; None if there was none."""
    error, limit = sample.error, sample.limit
    if isinstance(error, dict):
        error = error.get("message") or "the sample ended in an error"
    if error:
        return str(error)
    kind = limit.get("type") if isinstance(limit, dict) else limit
    return "interrupted by the operator" if kind == "operator" else None


def _list_values(scores: Mapping[str, Score]) -> Iterator[tuple[str, Any, Score]]:
    """Generate the single values of scores: one score may hold a list or an object of values."""
    for scorer, score in scores.items():
        label = "score" if scorer == _PLACEHOLDER else scorer
        if isinstance(score.value, dict):
            yield from ((f"{label}.{key}", value, score) for key, value in score.value.items())
        elif isinstance(score.value, list):
            yield from ((f"{label}.{index}", value, score) for index, value in enumerate(score.value))
        else:
            yield label, score.value, score


def _convert_score(value: Any) -> float | None:
    """Convert a value as Inspect's metrics do; None for values without a score (None, NaN, other words)."""
    if isinstance(value, str):
        if (score := _SCORE_VALUES.get(value, _SCORE_VALUES.get(value.lower()))) is not None:
            return score
        try:
            return convert_number(float(value))
        except ValueError:
            return None
    return convert_number(value)
