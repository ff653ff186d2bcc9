"""Foreign values as ours: names, words, instants, points, and who made a model."""

import hashlib
import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from backend.formats.timestamps import parse_instant, write_instant
from backend.timelines.importers.model import Notes, Refused
from backend.timelines.model import MAX_DEDUCTIONS, MAX_NAME_CHARS, MAX_TEXT_CHARS, Metrics, Points, Run

_NAIVE = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)", re.ASCII)
_OFFSET_WITHOUT_COLON = re.compile(r"(?<=\d)([+-]\d{2})(\d{2})$", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HASH = 32
"""Hexadecimal digits of a hash that stands for an id: 128 bits."""

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
"""Who makes a model, by how its name begins."""
_VENDORS = tuple((maker, re.compile(rf"(?:{names})(?![a-z])", re.IGNORECASE)) for maker, names in VENDORS)


def name(value: object) -> str:
    """``value`` as a name: within the length that names may have, longer ones by their beginning and a hash.

    Raises :class:`Refused` for an empty one; the caller's field is in the message already.
    """
    text = _clean(str(value)).strip()
    if not text:
        raise Refused("", "is empty")
    return text if len(text) <= MAX_NAME_CHARS else f"{text[: MAX_NAME_CHARS - 17]}~{digest(text)[:16]}"


def optional_name(value: object) -> str | None:
    return name(value) if isinstance(value, str) and value.strip() else None


def words(value: object) -> str:
    """``value`` as text of a description or error, cut where it is longer than those may be."""
    text = _clean(value if isinstance(value, str) else str(value))
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"


def _clean(text: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def digest(*parts: object) -> str:
    """A stable id of ``parts``: the first 128 bits of SHA-256, in hexadecimal."""
    joined = "\x1f".join(str(part) for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def instant(text: object, notes: Notes, field: str = "timestamp") -> str:
    """``text`` as an instant of ours; one without a zone is taken as UTC, and noted.

    Raises :class:`Refused`.
    """
    if not isinstance(text, str):
        raise Refused(field, "is no instant" if text is not None else "is missing")
    given = _OFFSET_WITHOUT_COLON.sub(r"\1:\2", text.strip())
    if naive := _NAIVE.fullmatch(given):
        notes.converted["times without a zone were taken as UTC"] += 1
        given = f"{naive[1]}T{naive[2]}Z"
    try:
        return write_instant(parse_instant(given))
    except ValueError as error:
        raise Refused(field, str(error)) from None


def optional_instant(text: object, notes: Notes, field: str) -> str | None:
    return instant(text, notes, field) if text not in (None, "") else None


def later(start: str, seconds: float) -> str | None:
    """The instant ``seconds`` after ``start``; null where that is no length of time or no date."""
    try:
        moment = parse_instant(start).timestamp() + seconds
        return write_instant(datetime.fromtimestamp(round(moment, 6), UTC)) if seconds >= 0 else None
    except (OverflowError, ValueError, OSError):
        return None


def number(value: Any) -> float | None:
    """``value`` as a finite number; null where it is none. True is 1."""
    if isinstance(value, bool | int | float):
        try:
            found = float(value)
        except OverflowError:
            return None
        return found if math.isfinite(found) else None
    return None


def vendor(model: str | None) -> str | None:
    """Who makes ``model``, by how the last part of its name begins; null where that is unknown."""
    if not model:
        return None
    last = model.replace("\\", "/").rsplit("/", 1)[-1]
    last = last.rsplit(".", 1)[-1] if re.match(r"[a-z]{2}\.|[a-z]+\.[a-z]", last) else last
    return next((maker for maker, pattern in _VENDORS if pattern.match(last)), None)


def scored(
    *,
    run_id: str,
    timestamp: str,
    case_id: str,
    profile: str,
    maximum: float,
    raw: float | None = None,
    success: bool | None = None,
    deductions: Iterable[Points] = (),
    bonuses: Iterable[Points] = (),
    finished_at: str | None = None,
    metrics: Metrics | None = None,
    provider: str | None = None,
    model: str | None = None,
    model_vendor: str | None = None,
    inference_provider: str | None = None,
    agent: str | None = None,
    cost_usd: float | None = None,
    error: str | None = None,
    machinery_failure: bool | None = None,
) -> Run:
    """A run whose total follows from its parts. ``raw`` is the maximum, and success the whole of it, unless
    given otherwise."""
    lost, won = _fewer(deductions), _fewer(bonuses)
    start = maximum if raw is None else raw
    total = round(start + math.fsum(part.points for part in won) - math.fsum(part.points for part in lost), 9)
    return Run(
        run_id=name(run_id),
        timestamp=timestamp,
        finished_at=finished_at,
        case_id=name(case_id),
        profile=name(profile),
        success=total >= maximum if success is None else success,
        total_score=total,
        raw_score=start,
        max_score=maximum,
        normalized_score=total / maximum,
        metrics=metrics or Metrics(),
        deductions=lost,
        bonuses=won,
        provider=optional_name(provider),
        model=optional_name(model),
        model_vendor=optional_name(model_vendor),
        inference_provider=optional_name(inference_provider),
        agent=optional_name(agent),
        cost_usd=cost_usd,
        error=words(error) if error else None,
        machinery_failure=machinery_failure,
    )


def _fewer(parts: Iterable[Points]) -> tuple[Points, ...]:
    """``parts`` that weigh something; beyond the most that a run may have, the rest as one."""
    kept = tuple(part for part in parts if part.points)
    if len(kept) <= MAX_DEDUCTIONS:
        return kept
    rest = kept[MAX_DEDUCTIONS - 1 :]
    told = f"{len(rest)} further parts together"
    return (*kept[: MAX_DEDUCTIONS - 1], Points("others", math.fsum(part.points for part in rest), told))
