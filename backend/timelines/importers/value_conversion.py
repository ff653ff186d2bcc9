"""Converts values of other tools: names, texts, timestamps, numbers, points and model vendors."""

import hashlib
import json
import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from backend.formats.timestamps import parse_instant, write_instant
from backend.timelines.importers.model import InvalidItemError, Notes
from backend.timelines.model import (
    MAX_DEDUCTIONS,
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    Metrics,
    Run,
    ScoreAdjustment,
)

_NAIVE = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)", re.ASCII)
_OFFSET_WITHOUT_COLON = re.compile(r"(?<=\d)([+-]\d{2})(\d{2})$", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HASH = 32
"""Hexadecimal digits of a hash used as an id: 128 bits."""

VENDORS: tuple[tuple[str, str], ...] = (
    ("anthropic", r"claude"),
    ("openai", r"gpt|chatgpt|o[134](?![a-z0-9])|davinci|codex"),
    ("google", r"gemini|gemma|palm"),
    ("meta", r"llama|meta-llama"),
    ("mistral", r"mistral|mixtral|codestral|ministral|magistral|devstral|pixtral"),
    ("deepseek", r"deepseek"),
    ("alibaba", r"qwen|qwq"),
    ("xai", r"grok"),
    ("cohere", r"command"),
    ("microsoft", r"phi|wizardlm"),
    ("moonshot", r"kimi|moonshot"),
    ("01-ai", r"yi"),
    ("amazon", r"nova|titan"),
    ("ibm", r"granite"),
    ("nvidia", r"nemotron"),
    ("zhipu", r"glm|chatglm"),
    ("minimax", r"minimax"),
    ("baidu", r"ernie"),
    ("nous", r"hermes|nous-hermes"),
)
"""The vendor of a model by the beginning of its name."""
_VENDORS = tuple((maker, re.compile(rf"(?:{names})(?![a-z])", re.IGNORECASE)) for maker, names in VENDORS)


def convert_name(value: object) -> str:
    """Convert ``value`` to a name of allowed length; a longer one becomes its beginning and a hash.

    Raises :class:`InvalidItemError` if it is empty; the caller adds the field to the message.
    """
    text = _replace_surrogates(str(value)).strip()
    if not text:
        raise InvalidItemError("", "is empty")
    return text if len(text) <= MAX_NAME_CHARS else f"{text[: MAX_NAME_CHARS - 17]}~{hash_values(text)[:16]}"


def convert_optional_name(value: object) -> str | None:
    return convert_name(value) if isinstance(value, str) and value.strip() else None


def convert_text(value: object) -> str:
    """Convert ``value`` to the text of a description or error, cut to the allowed length."""
    text = _replace_surrogates(value if isinstance(value, str) else str(value))
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"


def _replace_surrogates(text: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def hash_values(*parts: object) -> str:
    """Return a stable id of ``parts``: the first 128 bits of SHA-256, in hexadecimal."""
    joined = "\x1f".join(str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def digest_config(*parts: object) -> str | None:
    """Compute a digest of a configuration, 64 bits in hexadecimal; None if all parts are empty."""
    if not any(parts):
        return None
    return hash_values(json.dumps(parts, sort_keys=True, default=str))[:16]


def convert_time(text: object, notes: Notes, field: str = "timestamp") -> str:
    """Convert ``text`` to the timestamp format of a run. A time without a zone counts as UTC and is noted.

    Raises :class:`InvalidItemError`.
    """
    if not isinstance(text, str):
        raise InvalidItemError(field, "is not a timestamp" if text is not None else "is missing")
    normalized = _OFFSET_WITHOUT_COLON.sub(r"\1:\2", text.strip())
    if naive := _NAIVE.fullmatch(normalized):
        notes.conversions["times without a zone were taken as UTC"] += 1
        normalized = f"{naive[1]}T{naive[2]}Z"
    try:
        return write_instant(parse_instant(normalized))
    except ValueError as error:
        raise InvalidItemError(field, str(error)) from None


def convert_optional_time(text: object, notes: Notes, field: str) -> str | None:
    return convert_time(text, notes, field) if text not in (None, "") else None


def add_seconds(start: str, seconds: float) -> str | None:
    """Return the timestamp ``seconds`` after ``start``; None for an invalid duration or date."""
    try:
        moment = parse_instant(start).timestamp() + seconds
        return write_instant(datetime.fromtimestamp(round(moment, 6), UTC)) if seconds >= 0 else None
    except (OverflowError, ValueError, OSError):
        return None


def convert_number(value: Any) -> float | None:
    """Convert ``value`` to a finite number; None if it is not one. True is 1."""
    if isinstance(value, bool | int | float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    return None


def find_vendor(model: str | None) -> str | None:
    """Find the vendor of ``model`` by the beginning of the last part of its name; None if unknown."""
    if not model:
        return None
    last = model.replace("\\", "/").rsplit("/", 1)[-1]
    last = last.rsplit(".", 1)[-1] if re.match(r"[a-z]{2}\.|[a-z]+\.[a-z]", last) else last
    return next((maker for maker, pattern in _VENDORS if pattern.match(last)), None)


def build_run(
    *,
    run_id: str,
    timestamp: str,
    case_id: str,
    profile: str,
    maximum: float,
    raw: float | None = None,
    success: bool | None = None,
    deductions: Iterable[ScoreAdjustment] = (),
    bonuses: Iterable[ScoreAdjustment] = (),
    finished_at: str | None = None,
    metrics: Metrics | None = None,
    provider: str | None = None,
    model: str | None = None,
    model_vendor: str | None = None,
    inference_provider: str | None = None,
    agent: str | None = None,
    cost_usd: float | None = None,
    error: str | None = None,
    infrastructure_failure: bool | None = None,
    evaluation_id: str | None = None,
    suite: str | None = None,
    revision: str | None = None,
    config_digest: str | None = None,
) -> Run:
    """Build a run and compute its total from its parts. By default ``raw`` is the maximum, and a run succeeds
    if its total reaches the maximum."""
    merged_deductions, merged_bonuses = _merge_parts(deductions), _merge_parts(bonuses)
    start = maximum if raw is None else raw
    total = round(
        start
        + math.fsum(part.points for part in merged_bonuses)
        - math.fsum(part.points for part in merged_deductions),
        9,
    )
    return Run(
        run_id=convert_name(run_id),
        timestamp=timestamp,
        finished_at=finished_at,
        case_id=convert_name(case_id),
        profile=convert_name(profile),
        success=total >= maximum if success is None else success,
        total_score=total,
        raw_score=start,
        max_score=maximum,
        normalized_score=total / maximum,
        metrics=metrics or Metrics(),
        deductions=merged_deductions,
        bonuses=merged_bonuses,
        provider=convert_optional_name(provider),
        model=convert_optional_name(model),
        model_vendor=convert_optional_name(model_vendor),
        inference_provider=convert_optional_name(inference_provider),
        agent=convert_optional_name(agent),
        cost_usd=cost_usd,
        error=convert_text(error) if error else None,
        infrastructure_failure=infrastructure_failure,
        evaluation_id=convert_optional_name(evaluation_id),
        suite=convert_optional_name(suite),
        revision=convert_optional_name(revision),
        config_digest=convert_optional_name(config_digest),
    )


def _merge_parts(parts: Iterable[ScoreAdjustment]) -> tuple[ScoreAdjustment, ...]:
    """Drop parts without points, and merge the parts beyond the maximum number into one."""
    nonzero = tuple(part for part in parts if part.points)
    if len(nonzero) <= MAX_DEDUCTIONS:
        return nonzero
    further_parts = nonzero[MAX_DEDUCTIONS - 1 :]
    description = f"{len(further_parts)} further parts together"
    return (
        *nonzero[: MAX_DEDUCTIONS - 1],
        ScoreAdjustment("others", math.fsum(part.points for part in further_parts), description),
    )
