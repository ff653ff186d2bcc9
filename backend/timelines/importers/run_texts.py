"""Reads questions, answers and graders' words of Inspect and promptfoo, limited and redacted."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from backend.runtime.redaction import redact as redact_credentials
from backend.timelines.model import REDACTED, GraderWords, RunTexts

DEFAULT_TEXT_CHARS, MAX_TEXT_CHARS = 4_000, 100_000
MAX_GRADERS = 20
_MARGIN_CHARS = 1_000
"""Characters behind the limit that redaction also reads, so that no secret is cut before it is found."""
_SECRETS = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abp]-[A-Za-z0-9-]{10,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
"""Keys of well-known services, and private keys."""
_REFERENCE = re.compile(r"(?:attachment|tc)://(\w+)", re.ASCII)
_SURROGATE_OR_NULL = re.compile("[\ud800-\udfff\0]")
Texts = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class TextOptions:
    """Limits each text to ``max_chars`` and removes the matches of ``patterns``, besides known secrets."""

    max_chars: int = DEFAULT_TEXT_CHARS
    patterns: tuple[re.Pattern[str], ...] = ()

    def clean(self, text: str) -> str:
        """Redact a text and cut it to the limit."""
        short = _SURROGATE_OR_NULL.sub("\N{REPLACEMENT CHARACTER}", text[: self.max_chars + _MARGIN_CHARS])
        short = _SECRETS.sub(REDACTED, redact_credentials(short))
        for pattern in self.patterns:
            short = pattern.sub(REDACTED, short)
        cut = short[: self.max_chars]
        return cut if len(text) <= self.max_chars else f"{cut}…"


class InspectTexts(msgspec.Struct):
    """The parts of a sample that hold texts."""

    input: Any = None
    output: Any = None
    scores: dict[str, Any] | None = None
    attachments: dict[str, str] = {}


class PromptfooTexts(msgspec.Struct, rename="camel"):
    """The parts of a row that hold texts."""

    prompt: Any = None
    vars: Any = None
    response: Any = None
    grading_result: Any = None


def read_inspect(sample: InspectTexts, options: TextOptions, find_text: Texts | None = None) -> RunTexts:
    """Read the input, the completion, and each scorer's value, answer and explanation.

    ``find_text`` looks up long texts of a split sample.
    """
    find = find_text or sample.attachments.get
    graders = []
    for name, score in list((sample.scores or {}).items())[:MAX_GRADERS]:
        if isinstance(score, dict):
            values = (("", "value"), ("answer: ", "answer"), ("", "explanation"))
            lines = [
                f"{label}{_to_text(score[member], find)}"
                for label, member in values
                if score.get(member) is not None
            ]
            words = "\n".join(lines)
            graders.append(GraderWords(options.clean(name), options.clean(words)))
    return _build(sample.input, _find_completion(sample.output), graders, options, find)


def read_promptfoo(row: PromptfooTexts, options: TextOptions) -> RunTexts:
    """Read the rendered prompt (else the variables), the output, and the reasons of the assertions."""
    prompt = row.prompt.get("raw") if isinstance(row.prompt, dict) else row.prompt
    response = row.response.get("output") if isinstance(row.response, dict) else row.response
    graders = [
        GraderWords(options.clean(name), options.clean(reason))
        for name, reason in _list_reasons(row.grading_result)
    ]
    return _build(prompt if prompt else row.vars, response, graders[:MAX_GRADERS], options, _find_nothing)


def _find_nothing(_reference: str) -> None:
    return None


def _build(
    question: Any, answer: Any, graders: list[GraderWords], options: TextOptions, find: Texts
) -> RunTexts:
    asked, answered = (
        None if value in (None, "", []) else options.clean(_to_text(value, find))
        for value in (question, answer)
    )
    return RunTexts(asked, answered, tuple(graders))


def _find_completion(output: Any) -> Any:
    if not isinstance(output, dict):
        return output
    if output.get("completion"):
        return output["completion"]
    choices = output.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    return message.get("content") if isinstance(message, dict) else None


def _list_reasons(grading: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(grading, dict):
        return
    parts = grading.get("componentResults")
    for part in parts if isinstance(parts, list) and parts else [grading]:
        if not isinstance(part, dict) or not isinstance(part.get("reason"), str):
            continue
        assertion = part.get("assertion")
        named = assertion if isinstance(assertion, dict) else {}
        yield str(named.get("metric") or named.get("type") or "grading"), part["reason"]


def _to_text(value: Any, find: Texts) -> str:
    """Render a text, a list of messages or parts, or any other value as text."""
    if isinstance(value, str):
        reference = _REFERENCE.fullmatch(value)
        return (find(reference[1]) if reference else None) or value
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        return "\n\n".join(filter(None, (_part_to_text(part, find) for part in value)))
    return msgspec.json.encode(value).decode()


def _part_to_text(part: Any, find: Texts) -> str:
    if not isinstance(part, dict):
        return _to_text(part, find)
    if "role" in part:
        return f"{part['role']}: {_to_text(part.get('content') or '', find)}"
    if isinstance(part.get("text"), str):
        return _to_text(part["text"], find)
    return f"[{part.get('type') or 'part'}]"
