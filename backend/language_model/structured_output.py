"""What is sent to a model and what comes back, in each way of asking. Pure."""

import re
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

Shape = TypeVar("Shape", bound=BaseModel)

WAYS = ("json_schema", "json_object", "text")
"""The ladder of ways to ask, the best first."""
_FRAME = 64
"""Tokens that a server adds to what is sent to it."""
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question in one way of asking."""

    way: str
    instructions: str
    question: str
    shape: type[BaseModel]
    most_output: int

    @property
    def told(self) -> str:
        return (
            self.instructions
            if self.way == "json_schema"
            else f"{self.instructions}\n\n{_in_words(self.shape)}"
        )

    @property
    def form(self) -> dict[str, Any]:
        return {} if self.way == "text" else {"response_format": _form(self.way, self.shape)}

    @property
    def most_input(self) -> int:
        """Tokens that it can be read as at the most: none is shorter than a byte."""
        sent = self.told + self.question + orjson.dumps(self.form).decode()
        return len(sent.encode("utf-8", "replace")) + _FRAME


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    input_tokens: int
    output_tokens: int
    refused: bool = False


def _form(way: str, shape: type[BaseModel]) -> dict[str, Any]:
    if way == "json_object":
        return {"type": "json_object"}
    schema = {"name": shape.__name__, "schema": shape.model_json_schema(), "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def _in_words(shape: type[BaseModel]) -> str:
    schema = orjson.dumps(shape.model_json_schema()).decode()
    return f"Answer with one JSON object and nothing else, by this JSON schema: {schema}"


def answer_of(completion: Any, asked: str) -> Answer | None:
    """None where it is no completion. Some servers leave out what was used; then it is estimated."""
    choices = getattr(completion, "choices", None)
    if not choices:
        return None
    message = getattr(choices[0], "message", None)
    content = getattr(message, "content", None)
    text = content if isinstance(content, str) else ""
    usage = getattr(completion, "usage", None)
    return Answer(
        text,
        _counted(getattr(usage, "prompt_tokens", None)) or about_tokens(asked),
        _counted(getattr(usage, "completion_tokens", None)) or about_tokens(text),
        refused=bool(getattr(message, "refusal", None)),
    )


def _counted(told: object) -> int:
    """Tokens as a server tells them; 0 where it tells what is no count."""
    return told if isinstance(told, int) and 0 < told < 10**9 else 0


def read(said: str, shape: type[Shape]) -> Shape:
    """The object in ``said``. Raises ``ValueError`` with what is wrong, never with what was said."""
    found = _OBJECT.search(said)
    if found is None:
        raise ValueError("it holds no JSON object")
    try:
        return shape.model_validate_json(found[0])
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the object"
        raise ValueError(f"{where}: {first['msg']}") from None


def about_tokens(text: str) -> int:
    """An estimate from above: four letters of Latin text a token, one sign of others."""
    wide = sum(character > "\u2e7f" for character in text)
    return wide + (len(text) - wide) // 3 + 1
