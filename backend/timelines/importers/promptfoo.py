"""Reads promptfoo's JSON results (``promptfoo eval -o results.json``, ``promptfoo export``), versions 1 to 4.

A row of an evaluation is one prompt sent to one provider for one test. Its score is the weighted mean of its
assertions. In the run the sum of weights is the maximum, and each assertion becomes a deduction of its loss.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from backend.timelines.importers.json_reader import decode_leniently, open_document
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, Notes, Source
from backend.timelines.importers.run_texts import PromptfooTexts, read_promptfoo
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
from backend.timelines.model import Run, RunTexts, ScoreAdjustment

_ERROR = 2
"""``failureReason`` of failures without a failed assertion."""
_MAX_PROMPT_CHARS = 60
_ROUTE_ENDS = "chat", "completion", "responses", "messages", "assistant", "embedding", "realtime"
_NO_PROVIDERS = ("file", "exec", "python", "http", "https", "ws", "webhook", "golang", "package", "ruby")


class Results(msgspec.Struct):
    results: list[msgspec.Raw]
    timestamp: str | None = None


class Document(msgspec.Struct):
    results: Results
    eval_id: str | None = msgspec.field(name="evalId", default=None)
    metadata: dict[str, Any] | None = None
    config: Any = None


class Grading(msgspec.Struct, rename="camel"):
    score: float | None = None
    reason: Any = None
    assertion: dict[str, Any] | None = None
    component_results: list["Grading"] | None = None
    metadata: dict[str, Any] | None = None


class Row(msgspec.Struct, rename="camel"):
    success: bool
    score: float
    provider: dict[str, Any] | str
    prompt_idx: int | None = None
    test_idx: int | None = None
    test_case: dict[str, Any] | None = None
    description: str | None = None
    vars: Any = None
    prompt: dict[str, Any] | str | None = None
    error: str | None = None
    failure_reason: int | None = None
    latency_ms: float | None = None
    grading_result: Grading | None = None
    cost: float | None = None


class Head(msgspec.Struct, rename="camel"):
    """The fields that distinguish the cases and prompts of rows."""

    provider: dict[str, Any] | str = ""
    test_case: dict[str, Any] | None = None
    description: str | None = None
    vars: Any = None
    prompt: dict[str, Any] | str | None = None


def read(source: Source) -> Iterator[ImportItem]:
    try:
        with open_document(source.path, Document) as log:
            evaluation = _Evaluation(source, log)
            size = source.path.stat().st_size // max(1, len(log.results.results))
            for index, raw in enumerate(log.results.results, 1):
                location = f"result {index}"
                try:
                    run = evaluation.build_run(decode_leniently(raw, Row))
                    yield ImportItem(run, size, place=location, texts=_read_texts(source, raw))
                except InvalidItemError as error:
                    yield ImportItem(source.file_error(error, location), size, place=location)
    except InvalidItemError as error:
        yield ImportItem(source.file_error(error), 0)


def _read_texts(source: Source, raw: msgspec.Raw) -> RunTexts | None:
    """Read the texts of a row if the caller asks for them."""
    options = source.options.texts
    return None if options is None else read_promptfoo(decode_leniently(raw, PromptfooTexts), options)


@dataclass
class _Names:
    """Names that several rows share, so that each row needs a more specific one."""

    descriptions: frozenset[str]
    providers: frozenset[str]


class _Evaluation:
    def __init__(self, source: Source, log: Document) -> None:
        created = (log.metadata or {}).get("evaluationCreatedAt")
        at = source.options.at
        timestamp = log.results.timestamp or created or (at.isoformat() if at else None)
        if timestamp is None:
            raise InvalidItemError("results.timestamp", "is missing; give the time with --at")
        self._source = source
        self._began = convert_time(timestamp, source.notes, "results.timestamp")
        self._id = log.eval_id or hash_values(self._began, len(log.results.results))
        self._config = log.config if isinstance(log.config, dict) else {}
        self._digests: dict[tuple[str, str], str | None] = {}
        self._names = _find_shared_names(log.results.results)
        self._seen: Counter[str] = Counter()

    def build_run(self, row: Row) -> Run:
        """Convert a row to a run. Raises :class:`InvalidItemError`."""
        notes = self._source.notes
        provider, label = _read_provider(row.provider)
        route, model = _split_route(provider)
        prompt = _read_prompt(row.prompt)
        parts = {
            "model": model,
            "provider": "promptfoo",
            "model_vendor": find_vendor(model),
            "inference_provider": route,
            "prompt": prompt,
        }
        default = f"{label} | {prompt}" if label in self._names.providers else label
        failed = _find_failure(row)
        maximum, deductions, bonuses = _compute_points(row, failed, notes)
        notes.conversions["rows have the time of their evaluation, which has none for each"] += 1
        latency = convert_number(row.latency_ms)
        cost = convert_number(row.cost)
        return build_run(
            run_id=self._build_run_id(row, label),
            timestamp=self._began,
            finished_at=add_seconds(self._began, latency / 1000) if latency else None,
            case_id=_build_case_id(row, self._names.descriptions),
            profile=self._source.profile(default, parts),
            success=row.success,
            maximum=maximum,
            deductions=deductions,
            bonuses=bonuses,
            provider="promptfoo",
            model=model,
            model_vendor=parts["model_vendor"],
            inference_provider=route,
            cost_usd=cost if cost and cost > 0 else None,
            error=failed,
            infrastructure_failure=failed is not None,
            evaluation_id=self._id,
            suite=self._config.get("description"),
            config_digest=self._digest_config(provider, label),
        )

    def _digest_config(self, provider: str, label: str) -> str | None:
        """Compute a digest of the prompts, the defaults and the settings of a provider."""
        if (provider, label) not in self._digests:
            config = self._config
            settings = _find_provider_settings(config.get("providers"), {provider, label})
            self._digests[provider, label] = digest_config(
                config.get("prompts"), settings, config.get("defaultTest")
            )
        return self._digests[provider, label]

    def _build_run_id(self, row: Row, label: str) -> str:
        if row.test_idx is not None and row.prompt_idx is not None:
            base_id = f"{self._id}:{row.test_idx}:{row.prompt_idx}"
        else:  # versions before 3 have neither number
            variables = _encode_canonical(_find_variables(row))
            base_id = f"{self._id}:{hash_values(label, variables, _read_prompt(row.prompt))}"
        self._seen[base_id] += 1
        occurrence = self._seen[base_id]
        return base_id if occurrence == 1 else f"{base_id}:{occurrence}"


def _find_provider_settings(providers: Any, names: set[str]) -> list[Any]:
    """Return the entries of a provider: names, or objects with its name as their id, label or key."""

    def list_names(entry: Any) -> set[str]:
        if not isinstance(entry, dict):
            return {str(entry)}
        return {str(entry.get("id")), str(entry.get("label")), *entry}

    listed = providers if isinstance(providers, list) else [providers]
    return [entry for entry in listed if names & list_names(entry)]


def _find_shared_names(rows: Iterable[msgspec.Raw]) -> _Names:
    """Find descriptions that tests with different variables share, and providers with several prompts."""
    variables: dict[str, set[str]] = defaultdict(set)
    prompts: dict[str, set[str | None]] = defaultdict(set)
    for raw in rows:
        try:
            head = decode_leniently(raw, Head)
        except InvalidItemError:
            continue  # reported with its place when the row itself is read
        if text := _find_description(head):
            variables[text].add(_encode_canonical(_find_variables(head)))
        prompts[_read_provider(head.provider)[1]].add(_read_prompt(head.prompt))
    return _Names(
        frozenset(text for text, several in variables.items() if len(several) > 1),
        frozenset(label for label, several in prompts.items() if len(several) > 1),
    )


def _find_description(row: Row | Head) -> str | None:
    text = (row.test_case or {}).get("description") or row.description
    return text.strip() if isinstance(text, str) and text.strip() else None


def _find_variables(row: Row | Head) -> Any:
    return row.vars if row.vars is not None else (row.test_case or {}).get("vars")


def _build_case_id(row: Row, shared: frozenset[str]) -> str:
    """Return the test's description, or a hash of its variables, or both if tests share the description."""
    variables_hash = hash_values(_encode_canonical(_find_variables(row)))[:12]
    text = _find_description(row)
    if text is None:
        return f"vars-{variables_hash}"
    return f"{text} [{variables_hash}]" if text in shared else text


def _encode_canonical(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def _read_provider(provider: dict[str, Any] | str) -> tuple[str, str]:
    """Return a provider's id and label."""
    if isinstance(provider, str):
        return provider, provider
    identity = provider.get("id")
    provider_id = identity if isinstance(identity, str) else ""
    label = provider.get("label")
    return provider_id, label if isinstance(label, str) and label else provider_id


def _split_route(provider: str) -> tuple[str | None, str | None]:
    """Split an id such as ``openai:chat:gpt-4o`` into the inference provider and the model."""
    route, _, rest = provider.partition(":")
    if not rest or route in _NO_PROVIDERS:
        return None, None
    kind, _, model = rest.partition(":")
    return route, model if model and kind in _ROUTE_ENDS else rest


def _read_prompt(prompt: dict[str, Any] | str | None) -> str | None:
    """Return a prompt's label, shortened if it is the whole prompt."""
    text = prompt.get("label") or prompt.get("raw") if isinstance(prompt, dict) else prompt
    if not isinstance(text, str) or not text.strip():
        return None
    line = " ".join(text.split())
    return (
        line
        if len(line) <= _MAX_PROMPT_CHARS
        else f"{line[: _MAX_PROMPT_CHARS - 10]}… {hash_values(text)[:8]}"
    )


def _find_failure(row: Row) -> str | None:
    """Return the reason of an infrastructure failure. Versions before 3 record none: there an error without a
    grading counts as one."""
    ungraded = row.failure_reason is None and row.error and row.grading_result is None
    if row.failure_reason == _ERROR or ungraded:
        return row.error or "the row ended in an error"
    return None


def _compute_points(
    row: Row, failed: str | None, notes: Notes
) -> tuple[float, list[ScoreAdjustment], list[ScoreAdjustment]]:
    """Compute the maximum, and the deductions and bonuses that lead to the row's score."""
    parts = list(_list_assertions(row.grading_result))
    maximum = sum(weight for weight, _ in parts) or 1.0
    deductions: list[ScoreAdjustment] = []
    bonuses: list[ScoreAdjustment] = []
    gap = maximum * (1 - row.score)
    for weight, part in parts:
        loss = weight * (1 - (part.score or 0.0))
        gap -= loss
        reason = convert_text(part.reason) if isinstance(part.reason, str) else ""
        (deductions if loss > 0 else bonuses).append(ScoreAdjustment(_label(part), abs(loss), reason))
    if abs(gap) > 1e-9:
        reason = failed or (row.grading_result and row.grading_result.reason) or row.error or ""
        label = "error" if failed else ("score" if not parts else "scoring")
        (deductions if gap > 0 else bonuses).append(
            ScoreAdjustment(label, abs(gap), convert_text(str(reason)))
        )
        if parts:
            notes.conversions["scores that are no mean of their assertions: the rest is «scoring»"] += 1
    return maximum, deductions, bonuses


def _list_assertions(grading: Grading | None) -> Iterator[tuple[float, Grading]]:
    """Generate assertions with their weights. Members of a set follow the set in the list and are skipped."""
    remaining_members = 0
    for part in (grading and grading.component_results) or ():
        if remaining_members:
            remaining_members -= 1
            continue
        remaining_members = len(part.component_results or ())
        weight = convert_number(
            (part.assertion or {}).get("weight", (part.metadata or {}).get("assertSetWeight", 1))
        )
        if weight is None:
            weight = 1.0
        if weight > 0 and convert_number(part.score) is not None:
            yield weight, part


def _label(part: Grading) -> str:
    assertion = part.assertion or {}
    label = assertion.get("metric") or assertion.get("type")
    return convert_name(label) if isinstance(label, str) and label.strip() else "assertion"


FORMAT = Format(
    key="promptfoo",
    title="promptfoo results",
    run_id="evalId:testIdx:promptIdx; old files: evalId and a hash of provider, vars and prompt",
    field_sources={
        "timestamp": "results.timestamp, the evaluation's",
        "finished_at": "timestamp and latencyMs",
        "case_id": "the test's description, else a hash of its vars; both where tests share a description",
        "profile": "the provider's label or id, with the prompt's label where it was sent several prompts",
        "success": "success",
        "max_score, raw_score": "the sum of the assertions' weights; 1 without assertions",
        "deductions": "weight × what the assertion lost, by its metric or type, with its reason",
        "bonuses": "weight × what an assertion has beyond 1",
        "model, inference_provider": "the provider's id, parted at its colons",
        "model_vendor": "by the model's name",
        "cost_usd": "cost",
        "error, machinery_failure": "error, where failureReason is 2 (no assertion's verdict)",
        "evaluation_id, suite": "evalId, config.description",
        "config_digest": "config.prompts, config.defaultTest and the provider's settings",
    },
    null_reasons={
        "finished_at": "the row has no latency",
        "metrics": "promptfoo records no tool calls",
        "agent": "promptfoo names none",
        "model": "the provider is a script or address",
        "model_vendor": "the model's name does not say",
        "inference_provider": "the provider is a script or address",
        "cost_usd": "the row has no cost",
        "error": "only errors other than assertion verdicts are kept",
    },
    read=read,
)
