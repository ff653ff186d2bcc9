"""One question to a language model, answered in a declared shape or not at all.

Any OpenAI-compatible address serves. Many such servers refuse JSON schemas, or ignore them silently, so
there is a ladder of ways to ask, and the lowest one needed is remembered for as long as the process
lives: a schema; a JSON object with the schema in words; plain text, out of which the object is taken. An
answer that is not in the shape is asked for once more, with what is wrong with it.
"""

import re
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
import structlog
from pydantic import BaseModel, SecretStr, ValidationError

from backend import kept
from backend.db import Database
from backend.instants import Clock, utc_now
from backend.language_model import spending
from backend.language_model.spending import Allowance, ModelFailed, Prices
from backend.settings import Settings

if TYPE_CHECKING:
    from openai import OpenAI

log = structlog.get_logger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)

KEPT_FOR = timedelta(days=30)
QUIET_FOR = timedelta(minutes=10)
"""A model that failed as a whole is not asked again for so long."""
SECONDS = 30.0
MOST_OUTPUT = 2_000
"""Tokens of an answer at the most."""
_RUNGS = ("json_schema", "json_object", "text")
_NOT_OFFERED = (400, 404, 415, 422, 501)
"""Statuses with which servers refuse a way of asking that they do not know."""
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    input_tokens: int
    output_tokens: int


class LanguageModel:
    """Asks one model for one process. Safe for use by several threads."""

    def __init__(
        self,
        database: Database,
        *,
        base_url: str,
        name: str,
        key: SecretStr | None,
        prices: Prices,
        now: Clock = utc_now,
    ) -> None:
        self.name = name
        self._database = database
        self._base_url = base_url
        self._key = key
        self._prices = prices
        self._now = now
        self._rung = 0
        self._quiet_until: datetime | None = None
        self._opening = threading.Lock()
        self._opened: OpenAI | None = None

    @classmethod
    def configured(cls, settings: Settings, database: Database) -> "LanguageModel | None":
        """The model that the settings name; none in sample mode, in which no network is touched."""
        if settings.mode == "sample" or settings.model_base_url is None or settings.model_name is None:
            return None
        prices = Prices(settings.model_price_input, settings.model_price_output, settings.model_daily_ceiling)
        return cls(
            database,
            base_url=settings.model_base_url,
            name=settings.model_name,
            key=settings.model_api_key,
            prices=prices,
        )

    def ask(
        self,
        instructions: str,
        question: str,
        shape: type[Shape],
        *,
        allowance: Allowance,
        kept_as: str | None = None,
    ) -> Shape:
        """The answer to ``question`` as ``shape``, kept for 30 days under what was asked.

        ``kept_as`` stands for the question where that differs each time though it asks the same. Raises
        :class:`ModelFailed`; then the caller goes on without a model.
        """
        schema = shape.model_json_schema()
        asked = (self._base_url, self.name, instructions, kept_as or question, schema)
        key = kept.key_of("model", *asked)
        known = kept.find(self._database, key, now=self._now())
        if known is not None:
            return shape.model_validate(known)
        self._refuse_while_quiet()
        spending.refuse_beyond_ceiling(self._database, self._prices, now=self._now())
        answer = self._in_shape(instructions, question, shape, allowance)
        body = answer.model_dump(mode="json")
        kept.keep(self._database, key, "model", body, keep_for=KEPT_FOR, now=self._now())
        return answer

    def _in_shape(self, instructions: str, question: str, shape: type[Shape], allowance: Allowance) -> Shape:
        said = self._say(instructions, question, shape, allowance)
        try:
            return _read(said, shape)
        except ValueError as fault:
            mended = f"{question}\n\nYour last answer could not be used: {fault}. Answer again as JSON."
        said = self._say(instructions, mended, shape, allowance)
        try:
            return _read(said, shape)
        except ValueError:
            raise ModelFailed(f"{self.name} did not answer in the shape that was asked for.") from None

    def _say(self, instructions: str, question: str, shape: type[BaseModel], allowance: Allowance) -> str:
        """What the model answers, asked in the first way of the ladder that the server offers."""
        while True:
            rung = self._rung
            allowance.claim(_about_tokens(instructions + question) + MOST_OUTPUT // 4)
            try:
                answer = self._exchange(_RUNGS[rung], instructions, question, shape)
            except _NotOfferedError:
                if rung + 1 == len(_RUNGS):
                    raise self._failed("refuses our questions") from None
                self._rung = max(self._rung, rung + 1)
                continue
            self._account(answer, allowance)
            return answer.text

    def _account(self, answer: _Answer, allowance: Allowance) -> None:
        tokens = answer.input_tokens + answer.output_tokens
        allowance.use(tokens)
        cost = self._prices.cost(answer.input_tokens, answer.output_tokens)
        spending.record(self._database, tokens=tokens, cost=cost, now=self._now())
        log.info("model_asked", model=self.name, tokens=tokens, cost=str(cost))

    def _exchange(self, way: str, instructions: str, question: str, shape: type[BaseModel]) -> _Answer:
        import openai

        told = instructions if way == "json_schema" else f"{instructions}\n\n{_in_words(shape)}"
        messages: Any = [{"role": "system", "content": told}, {"role": "user", "content": question}]
        form: Any = {} if way == "text" else {"response_format": _form(way, shape)}
        try:
            completion = self._client().chat.completions.create(
                model=self.name, messages=messages, temperature=0, max_tokens=MOST_OUTPUT, **form
            )
        except openai.APIStatusError as error:
            if error.status_code in _NOT_OFFERED and way != "text":
                raise _NotOfferedError from None
            raise self._failed(f"answered with status {error.status_code}") from None
        except (openai.OpenAIError, ValueError) as error:  # no connection, a time-out, what is no JSON
            raise self._failed(f"does not answer ({type(error).__name__})") from None
        return _answer_of(completion, told + question)

    def _client(self) -> "OpenAI":
        with self._opening:
            if self._opened is None:
                import httpx2  # these two cost most of a second, which a process without a model need not pay
                import openai

                self._opened = openai.OpenAI(
                    base_url=self._base_url,
                    api_key=self._key.get_secret_value() if self._key else "none",
                    organization="",  # or the environment's would be sent to whatever address this is
                    project="",
                    timeout=SECONDS,
                    max_retries=1,
                    http_client=httpx2.Client(trust_env=False, timeout=SECONDS),
                )
            return self._opened

    def _refuse_while_quiet(self) -> None:
        if self._quiet_until is not None and self._now() < self._quiet_until:
            raise ModelFailed(f"{self.name} failed a moment ago and is not asked for now.")

    def _failed(self, reason: str) -> ModelFailed:
        self._quiet_until = self._now() + QUIET_FOR
        log.warning("model_failed", model=self.name, reason=reason)
        return ModelFailed(f"{self.name} {reason}.")


class _NotOfferedError(Exception):
    """The server does not know this way of asking."""


def _form(way: str, shape: type[BaseModel]) -> dict[str, Any]:
    if way == "json_object":
        return {"type": "json_object"}
    schema = {"name": shape.__name__, "schema": shape.model_json_schema(), "strict": True}
    return {"type": "json_schema", "json_schema": schema}


def _in_words(shape: type[BaseModel]) -> str:
    schema = orjson.dumps(shape.model_json_schema()).decode()
    return f"Answer with one JSON object and nothing else, by this JSON schema: {schema}"


def _answer_of(completion: Any, asked: str) -> _Answer:
    """Some servers leave out what was used; then it is estimated."""
    choices = getattr(completion, "choices", None) or []
    message = getattr(choices[0], "message", None) if choices else None
    content = getattr(message, "content", None)
    text = content if isinstance(content, str) else ""
    usage = getattr(completion, "usage", None)
    return _Answer(
        text,
        getattr(usage, "prompt_tokens", None) or _about_tokens(asked),
        getattr(usage, "completion_tokens", None) or _about_tokens(text),
    )


def _read(said: str, shape: type[Shape]) -> Shape:
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


def _about_tokens(text: str) -> int:
    """An estimate from above: four letters of Latin text a token, one sign of others."""
    wide = sum(character > "\u2e7f" for character in text)
    return wide + (len(text) - wide) // 3 + 1
