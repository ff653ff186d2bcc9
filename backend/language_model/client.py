"""One question to a language model, answered in a declared shape or not at all.

Any OpenAI-compatible address serves. Many such servers refuse JSON schemas, or ignore them silently, so
there is a ladder of ways to ask, and the lowest one needed is remembered for as long as the process
lives: a schema; a JSON object with the schema in words; plain text, out of which the object is taken. An
answer that is not in the shape is asked for once more, with what is wrong with it.
"""

import re
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import structlog
from pydantic import BaseModel, SecretStr

from backend.formats.timestamps import Clock, utc_now
from backend.language_model import circuit_breaker, spending_limits, structured_output
from backend.language_model.errors import AnswerUnusable, ModelFailed
from backend.language_model.spending_limits import Allowance, Prices, Reserved
from backend.language_model.structured_output import WAYS, Answer, Asked, Shape, about_tokens, answer_of
from backend.runtime import metrics
from backend.settings import Settings, optional_dependencies
from backend.store import response_cache
from backend.store.database import Database

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

log = structlog.get_logger(__name__)

KEPT_FOR = timedelta(days=30)
SECONDS = 30.0
MOST_OUTPUT = 2_000
"""Tokens of an answer at the most, unless the caller says otherwise."""
_NOT_OFFERED = (400, 404, 415, 422, 501)
"""Statuses with which servers refuse a way of asking that they do not know."""
_THINKS = "max_completion_tokens"
"""What a refusal names where a model wants that in place of ``max_tokens``."""
_PASSING = (500, 502, 503, 504)
"""Statuses that a second try often gets past."""


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
        self._endpoint = circuit_breaker.endpoint_of(base_url, name)
        self._key = key
        self._prices = prices
        self._now = now
        self._rung = 0
        self._thinks = False
        self._opening = threading.Lock()
        self._opened: OpenAI | None = None

    @classmethod
    def configured(
        cls, settings: Settings, database: Database, *, now: Clock = utc_now
    ) -> "LanguageModel | None":
        """The model that the settings name; none but in live mode: the others touch no network."""
        if settings.is_offline or settings.model_base_url is None or settings.model_name is None:
            return None
        optional_dependencies.check(settings)
        return cls(
            database,
            base_url=settings.model_base_url,
            name=settings.model_name,
            key=settings.model_api_key,
            prices=prices_of(settings),
            now=now,
        )

    def ask(
        self,
        instructions: str,
        question: str,
        shape: type[Shape],
        *,
        allowance: Allowance,
        kept_as: str | None = None,
        most_output: int = MOST_OUTPUT,
    ) -> Shape:
        """The answer to ``question`` as ``shape``, kept for 30 days under what was asked.

        ``kept_as`` stands for the question where that differs each time though it asks the same. Raises
        :class:`ModelFailed`; then the caller goes on without a model.
        """
        schema = shape.model_json_schema()
        asked = (self._base_url, self.name, instructions, kept_as or question, schema)
        key = response_cache.key_of("model", *asked)
        known = response_cache.find(self._database, key, now=self._now())
        if known is not None:
            return shape.model_validate(known)
        circuit_breaker.refuse_while_quiet(self._database, self._endpoint, self.name, now=self._now())
        answer = self._in_shape(instructions, question, shape, allowance, most_output)
        circuit_breaker.answered(self._database, self._endpoint, self.name, now=self._now())
        body = answer.model_dump(mode="json")
        response_cache.keep(self._database, key, "model", body, keep_for=KEPT_FOR, now=self._now())
        return answer

    def _in_shape(
        self, instructions: str, question: str, shape: type[Shape], allowance: Allowance, most_output: int
    ) -> Shape:
        said = self._say(instructions, question, shape, allowance, most_output)
        try:
            return structured_output.read(said, shape)
        except ValueError as fault:
            mended = f"{question}\n\nYour last answer could not be used: {fault}. Answer again as JSON."
        said = self._say(instructions, mended, shape, allowance, most_output)
        try:
            return structured_output.read(said, shape)
        except ValueError:
            failure = self._failed("does not answer in the shape that was asked for")
            raise AnswerUnusable(failure.message) from None

    def _say(
        self, instructions: str, question: str, shape: type[BaseModel], allowance: Allowance, most_output: int
    ) -> str:
        """What the model answers, asked in the first way of the ladder that the server offers."""
        tried_again = False
        while True:
            rung = self._rung
            asked = Asked(WAYS[rung], instructions, question, shape, most_output)
            allowance.claim(about_tokens(instructions + question) + most_output // 4)
            try:
                answer = self._metered(asked)
            except _NotOfferedError:
                if rung + 1 == len(WAYS):
                    raise self._failed("refuses our questions") from None
                self._rung = max(self._rung, rung + 1)
                continue
            except _PassingError as passing:
                if tried_again:
                    raise self._failed(passing.reason) from None
                tried_again = True
                continue
            allowance.use(answer.input_tokens + answer.output_tokens)
            if answer.refused:
                metrics.MODEL_CALLS.labels("declined").inc()
                raise AnswerUnusable(f"{self.name} declines to answer.")
            return answer.text

    def _metered(self, asked: Asked) -> Answer:
        """One call within the day's ceiling, put down with what it cost."""
        most = self._prices.cost(asked.most_input, asked.most_output)
        reserved = spending_limits.reserve(self._database, self._prices, most, now=self._now())
        try:
            answer = self._exchange(asked)
        except _LostError as lost:  # it may have been worked at all the same, so it counts in full
            raise self._failed(lost.reason) from None
        except _PassingError as passing:
            if passing.is_free:
                self._settle(reserved, 0, 0)
            raise
        except (ModelFailed, _NotOfferedError):
            self._settle(reserved, 0, 0)
            raise
        self._settle(reserved, answer.input_tokens, answer.output_tokens)
        metrics.MODEL_CALLS.labels("answered").inc()
        return answer

    def _settle(self, reserved: Reserved, input_tokens: int, output_tokens: int) -> None:
        cost, tokens = self._prices.cost(input_tokens, output_tokens), input_tokens + output_tokens
        spending_limits.settle(self._database, reserved, tokens=tokens, cost=cost)
        metrics.MODEL_TOKENS.labels("input").inc(input_tokens)
        metrics.MODEL_TOKENS.labels("output").inc(output_tokens)
        if tokens:
            log.info("model_asked", model=self.name, tokens=tokens, cost=str(cost))

    def _exchange(self, asked: Asked) -> Answer:
        import httpx2
        import openai

        sent: Any = [
            {"role": "system", "content": asked.told},
            {"role": "user", "content": asked.question},
        ]
        try:
            completion = self._client().chat.completions.create(
                model=self.name,
                messages=sent,
                **self._bounds(asked.most_output),
                **asked.form,
            )
        except openai.APIStatusError as error:
            raise self._of_status(error, asked.way) from None
        except openai.APITimeoutError:
            raise _LostError("does not answer in time") from None
        except openai.APIConnectionError as error:
            unsent = isinstance(error.__cause__, httpx2.ConnectError)
            raise _PassingError("cannot be reached", is_free=unsent) from None
        except (openai.OpenAIError, ValueError) as error:  # what is no JSON
            raise _LostError(f"answers what cannot be read ({type(error).__name__})") from None
        answer = answer_of(completion, asked.told + asked.question)
        if answer is None:
            raise _LostError("answers what is no chat completion")
        return answer

    def _bounds(self, most_output: int) -> dict[str, Any]:
        """Models that think before they answer take neither a temperature nor the old name of the bound."""
        if self._thinks:
            return {"max_completion_tokens": most_output}
        return {"temperature": 0, "max_tokens": most_output}

    def _of_status(self, error: "APIStatusError", way: str) -> Exception:
        status = error.status_code
        if status == 400 and not self._thinks and _THINKS in str(error.body):
            self._thinks = True
            return _PassingError("refuses our questions")
        if status in _NOT_OFFERED and way != "text":
            return _NotOfferedError()
        wait = _seconds(error.response.headers.get("retry-after"))
        if status in _PASSING and wait is None:
            return _PassingError(f"answered with status {status}")
        refuses = "refuses the key" if self._key is not None else "refuses access without a key"
        said = {
            401: f"{refuses} (status 401)",
            403: f"{refuses} (status 403)",
            429: "wants fewer questions (status 429)",
        }
        return self._failed(said.get(status, f"answered with status {status}"), retry_after=wait)

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
                    max_retries=0,  # each call is put down by itself, and a pause is everybody's
                    http_client=httpx2.Client(trust_env=False, timeout=SECONDS),
                )
            return self._opened

    def _failed(self, reason: str, *, retry_after: timedelta | None = None) -> ModelFailed:
        until = circuit_breaker.failed(
            self._database, self._endpoint, reason, retry_after=retry_after, now=self._now()
        )
        metrics.MODEL_CALLS.labels("failed").inc()
        log.warning("model_failed", model=self.name, reason=reason, quiet_until=until.isoformat())
        return ModelFailed(f"{self.name} {reason}.")


def prices_of(settings: Settings) -> Prices:
    return Prices(settings.model_price_input, settings.model_price_output, settings.model_daily_ceiling)


class _CallError(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _PassingError(_CallError):
    """What a second try at once may get past; ``is_free`` where nobody can have worked at it."""

    def __init__(self, reason: str, *, is_free: bool = True) -> None:
        super().__init__(reason)
        self.is_free = is_free


class _LostError(_CallError):
    """No answer to what was sent and may have been worked at."""


class _NotOfferedError(Exception):
    """The server does not know this way of asking."""


def _seconds(retry_after: str | None) -> timedelta | None:
    """How long a server asks to be left alone; a date there counts as not told."""
    if retry_after is None or not re.fullmatch(r"\d{1,7}(?:\.\d{1,6})?", retry_after.strip(), re.ASCII):
        return None
    return timedelta(seconds=float(retry_after))
