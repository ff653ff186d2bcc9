"""Builds requests to a language model and parses its responses, in each output mode. Pure."""

import re
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

Shape = TypeVar("Shape", bound=BaseModel)

MODES = ("json_schema", "json_object", "text")
"""Output modes, best first."""
_OVERHEAD_TOKENS = 64
"""Tokens that a server adds to a request."""
_MAX_REPORTED_TOKENS = 10**9
_JSON_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question in one output mode."""

    mode: str
    instructions: str
    question: str
    shape: type[BaseModel]
    max_output_tokens: int

    @property
    def system_prompt(self) -> str:
        if self.mode == "json_schema":
            return self.instructions
        return f"{self.instructions}\n\n{_describe_schema(self.shape)}"

    @property
    def format_arguments(self) -> dict[str, Any]:
        if self.mode == "text":
            return {}
        return {"response_format": _build_response_format(self.mode, self.shape)}

    @property
    def max_input_tokens(self) -> int:
        """An upper bound of the input tokens: no token is shorter than a byte."""
        request_text = self.system_prompt + self.question + orjson.dumps(self.format_arguments).decode()
        return len(request_text.encode("utf-8", "replace")) + _OVERHEAD_TOKENS


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """``refused`` says that the model declined to answer."""

    text: str
    input_tokens: int
    output_tokens: int
    refused: bool = False


def _build_response_format(mode: str, shape: type[BaseModel]) -> dict[str, Any]:
    if mode == "json_object":
        return {"type": "json_object"}
    schema = {"name": shape.__name__, "schema": shape.model_json_schema(), "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def _describe_schema(shape: type[BaseModel]) -> str:
    schema = orjson.dumps(shape.model_json_schema()).decode()
    return f"Answer with one JSON object and nothing else, by this JSON schema: {schema}"


def parse_completion(completion: Any, prompt: str) -> ChatResponse | None:
    """The response; None if ``completion`` is no chat completion.

    Token counts are estimated if the server does not report them.
    """
    choices = getattr(completion, "choices", None)
    if not choices:
        return None
    message = getattr(choices[0], "message", None)
    content = getattr(message, "content", None)
    text = content if isinstance(content, str) else ""
    usage = getattr(completion, "usage", None)
    return ChatResponse(
        text,
        _parse_reported_tokens(getattr(usage, "prompt_tokens", None)) or estimate_tokens(prompt),
        _parse_reported_tokens(getattr(usage, "completion_tokens", None)) or estimate_tokens(text),
        refused=bool(getattr(message, "refusal", None)),
    )


def _parse_reported_tokens(value: object) -> int:
    """The token count that a server reports; 0 if ``value`` is no valid count."""
    return value if isinstance(value, int) and 0 < value < _MAX_REPORTED_TOKENS else 0


def parse_answer(text: str, shape: type[Shape]) -> Shape:
    """The object in ``text``. Raises ``ValueError`` with the problem, never with the text itself."""
    match = _JSON_OBJECT.search(text)
    if match is None:
        raise ValueError("it holds no JSON object")
    try:
        return shape.model_validate_json(match[0])
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        location = ".".join(str(part) for part in first["loc"]) or "the object"
        raise ValueError(f"{location}: {first['msg']}") from None


def estimate_tokens(text: str) -> int:
    """A high estimate: three Latin characters a token, one character a token in East Asian scripts."""
    wide = sum(character > "\u2e7f" for character in text)
    return wide + (len(text) - wide) // 3 + 1
