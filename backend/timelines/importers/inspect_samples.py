"""An Inspect sample as a run."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from backend.timelines.importers.model import LeftOut, Refused, Source
from backend.timelines.importers.tool_calls import Behaviour
from backend.timelines.importers.value_conversion import digest, instant, name, number, scored, vendor, words
from backend.timelines.model import Metrics, Points, Run

_WORTH = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's own metrics take these values for."""
_REFERENCE = re.compile(r"(?:attachment|tc)://(\w+)", re.ASCII)
Texts = Callable[[str], str | None]
"""Gives a text by what refers to it."""
_PLACEHOLDER = "88F74D2C"
"""The name of the one score in the oldest logs."""


class Score(msgspec.Struct):
    value: Any = None
    explanation: Any = None
    answer: Any = None


class Event(msgspec.Struct):
    """An event of the transcript; of tool calls more than the kind is looked at."""

    event: str = ""
    timestamp: Any = None
    function: Any = None
    arguments: Any = None
    error: Any = None
    events: list["Event"] | None = None


class Transcript(msgspec.Struct):
    """Where logs of 2024 keep their events, with the texts that those refer to."""

    events: list[Event] = []
    content: dict[str, str] = {}


class Usage(msgspec.Struct):
    total_cost: float | None = None


class Sample(msgspec.Struct):
    """A sample, or its summary: ``error`` and ``limit`` are objects in one and words in the other."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score] | None = None
    score: Score | None = None
    started_at: str | None = None
    completed_at: str | None = None
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


class Stats(msgspec.Struct):
    started_at: str = ""


class Header(msgspec.Struct, kw_only=True):
    """What stands before the samples."""

    eval: Spec
    version: int = 2
    status: str = "started"
    stats: Stats = msgspec.field(default_factory=Stats)


class Evaluation:
    """One log, which its samples are read against."""

    def __init__(self, source: Source, header: Header) -> None:
        spec = header.eval
        self._source, self._header = source, header
        route, _, rest = spec.model.partition("/")
        self._parts: dict[str, str | None] = {
            "model": rest or spec.model,
            "provider": "inspect_ai",
            "model_vendor": vendor(spec.model),
            "inference_provider": route if rest else None,
            "agent": spec.solver,
            "task": spec.task,
        }
        default = f"{spec.model} ({spec.solver})" if spec.solver else spec.model
        self._profile = source.profile(default, self._parts)

    def run(self, sample: Sample, events: Iterator[Event] | None = None, texts: Texts | None = None) -> Run:
        """The run that ``sample`` is. Raises :class:`Refused` and :class:`LeftOut`.

        ``events`` and ``texts`` are those of a sample that is stored in pieces.
        """
        if sample.invalidation is not None:
            raise LeftOut("samples were invalidated")
        spec, parts = self._header.eval, self._parts
        failure = _failure(sample)
        maximum, lost = self._points(sample, failure)
        cost = [usage.total_cost for usage in (sample.model_usage or {}).values()]
        known = [number(one) or 0.0 for one in cost if one is not None]
        return scored(
            run_id=sample.uuid or self._own_id(sample),
            timestamp=self._began(sample),
            finished_at=instant(sample.completed_at, self._source.notes) if sample.completed_at else None,
            case_id=f"{spec.task}/{sample.id}",
            profile=self._profile,
            maximum=maximum,
            deductions=lost,
            metrics=_behaviour(sample, events, texts),
            provider=parts["provider"],
            model=parts["model"],
            model_vendor=parts["model_vendor"],
            inference_provider=parts["inference_provider"],
            agent=parts["agent"],
            cost_usd=sum(known) if known else None,
            error=failure,
            machinery_failure=failure is not None,
        )

    def _own_id(self, sample: Sample) -> str:
        spec = self._header.eval
        evaluation = spec.eval_id or digest(spec.run_id, spec.task_id, spec.created)
        return f"{evaluation}:{sample.id}:{sample.epoch}"

    def _began(self, sample: Sample) -> str:
        notes, header = self._source.notes, self._header
        if sample.started_at:
            return instant(sample.started_at, notes, "started_at")
        first = next(iter(_events(sample)), None)
        if first is not None and isinstance(first.timestamp, str):
            notes.converted["samples without a time have that of their first event"] += 1
            return instant(first.timestamp, notes, "events.0.timestamp")
        notes.converted["samples without a time have that of the evaluation"] += 1
        return instant(header.stats.started_at or header.eval.created or None, notes, "created")

    def _points(self, sample: Sample, failure: str | None) -> tuple[float, list[Points]]:
        """The maximum, one for each score, and what each lost. Raises :class:`LeftOut` without a score."""
        scores = sample.scores or ({_PLACEHOLDER: sample.score} if sample.score else {})
        maximum = 0
        lost: list[Points] = []
        beyond = ""
        for label, value, score in _values(scores):
            worth = _worth(value)
            if worth is None:
                continue
            if not 0 <= worth <= 1:
                beyond = f"scores.{label}"
                self._source.notes.left_out["scores beyond 0 to 1, whose maximum the log does not say"] += 1
                continue
            maximum += 1
            told = score.explanation if isinstance(score.explanation, str) else f"value: {value}"
            lost.append(Points(name(label), 1 - worth, words(told)))
        if maximum:
            return float(maximum), lost
        if failure is not None:
            return 1.0, [Points("error", 1.0, words(failure))]
        if beyond:
            raise Refused(beyond, "is beyond 0 to 1, and the log does not say what its maximum is")
        raise LeftOut(f"samples have no score (the evaluation's status is {self._header.status})")


def _events(sample: Sample) -> list[Event]:
    return sample.events or (sample.transcript.events if sample.transcript else [])


def _behaviour(sample: Sample, events: Iterator[Event] | None, texts: Texts | None) -> Metrics:
    behaviour = Behaviour()
    if texts is None:
        texts = {**(sample.transcript.content if sample.transcript else {}), **sample.attachments}.get
    for event in _flat(events if events is not None else iter(_events(sample))):
        if event.event == "tool" and isinstance(event.function, str):
            arguments = _whole(event.arguments, texts)
            behaviour.call(event.function, arguments, failed=event.error is not None)
    return behaviour.metrics()


def _whole(arguments: Any, texts: Texts) -> Any:
    """Arguments with their long texts, which events hold by reference."""
    if not isinstance(arguments, dict):
        return arguments
    return {name: _text(value, texts) for name, value in arguments.items()}


def _text(value: Any, texts: Texts) -> Any:
    if not isinstance(value, str) or not (reference := _REFERENCE.fullmatch(value)):
        return value
    found = texts(reference[1])
    return value if found is None else found


def _flat(events: Iterator[Event]) -> Iterator[Event]:
    """Events and those within them, as old logs nest them."""
    stack = [events]
    while stack:
        event = next(stack[-1], None)
        if event is None:
            stack.pop()
            continue
        yield event
        if event.events:
            stack.append(iter(event.events))


def _failure(sample: Sample) -> str | None:
    """Why the machinery failed; null where it did not."""
    error, limit = sample.error, sample.limit
    if isinstance(error, dict):
        error = error.get("message") or "the sample ended in an error"
    if error:
        return str(error)
    kind = limit.get("type") if isinstance(limit, dict) else limit
    return "interrupted by the operator" if kind == "operator" else None


def _values(scores: Mapping[str, Score]) -> Iterator[tuple[str, Any, Score]]:
    """Each value on its own: one score may hold a list or an object of them."""
    for scorer, score in scores.items():
        label = "score" if scorer == _PLACEHOLDER else scorer
        if isinstance(score.value, dict):
            yield from ((f"{label}.{key}", value, score) for key, value in score.value.items())
        elif isinstance(score.value, list):
            yield from ((f"{label}.{index}", value, score) for index, value in enumerate(score.value))
        else:
            yield label, score.value, score


def _worth(value: Any) -> float | None:
    """A value as Inspect's metrics take it; null for what is not scored (null, NaN, other words)."""
    if isinstance(value, str):
        if (known := _WORTH.get(value, _WORTH.get(value.lower()))) is not None:
            return known
        try:
            return number(float(value))
        except ValueError:
            return None
    return number(value)
