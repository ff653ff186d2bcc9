"""Asks a language model and validates its answer against a Pydantic model.

Any OpenAI-compatible server works. Many of them refuse JSON schemas or ignore them silently, so there are
three output modes: a JSON schema; a JSON object with the schema in the prompt; plain text that contains the
object. The client falls back from one to the next and keeps the working mode while the process runs. After an
invalid answer it asks once more, with the validation error.
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
from backend.language_model.spending_limits import Allowance, Prices, Reservation
from backend.language_model.structured_output import (
    MODES,
    ChatRequest,
    ChatResponse,
    Shape,
    estimate_tokens,
    parse_completion,
)
from backend.runtime import metrics
from backend.settings import Settings, optional_dependencies
from backend.store import response_cache
from backend.store.database import Database

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

log = structlog.get_logger(__name__)

CACHE_TTL = timedelta(days=30)
REQUEST_TIMEOUT_SECONDS = 30.0
DEFAULT_MAX_OUTPUT_TOKENS = 2_000
_UNSUPPORTED_MODE_STATUSES = (400, 404, 415, 422, 501)
"""Statuses with which servers refuse an output mode that they do not support."""
_REASONING_LIMIT = "max_completion_tokens"
"""The parameter that reasoning models require in place of ``max_tokens``; their error names it."""
_TRANSIENT_STATUSES = (500, 502, 503, 504)
"""Statuses after which an immediate retry often succeeds."""


class LanguageModel:
    """The client of one model. Thread-safe."""

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
        self._endpoint = circuit_breaker.endpoint_id(base_url, name)
        self._key = key
        self._prices = prices
        self._now = now
        self._mode_index = 0
        self._is_reasoning = False
        self._client_lock = threading.Lock()
        self._openai: OpenAI | None = None

    @classmethod
    def from_settings(
        cls, settings: Settings, database: Database, *, now: Clock = utc_now
    ) -> "LanguageModel | None":
        """The configured model; None without one and outside live mode, where no network is used."""
        if settings.is_offline or settings.model_base_url is None or settings.model_name is None:
            return None
        optional_dependencies.require_installed(settings)
        return cls(
            database,
            base_url=settings.model_base_url,
            name=settings.model_name,
            key=settings.model_api_key,
            prices=prices_from_settings(settings),
            now=now,
        )

    def ask(
        self,
        instructions: str,
        question: str,
        shape: type[Shape],
        *,
        allowance: Allowance,
        cache_as: str | None = None,
        max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS,
    ) -> Shape:
        """The answer to ``question`` as ``shape``, cached for 30 days by the question.

        ``cache_as`` replaces the question in the cache key, for questions that vary without a change of
        meaning. Raises :class:`ModelFailed`; callers then continue without a model.
        """
        schema = shape.model_json_schema()
        key_parts = (self._base_url, self.name, instructions, cache_as or question, schema)
        key = response_cache.key_of("model", *key_parts)
        cached = response_cache.find(self._database, key, now=self._now())
        if cached is not None:
            return shape.model_validate(cached)
        circuit_breaker.raise_if_paused(self._database, self._endpoint, self.name, now=self._now())
        answer = self._ask_validated(instructions, question, shape, allowance, max_output_tokens)
        circuit_breaker.record_success(self._database, self._endpoint, self.name, now=self._now())
        body = answer.model_dump(mode="json")
        response_cache.keep(self._database, key, "model", body, keep_for=CACHE_TTL, now=self._now())
        return answer

    def _ask_validated(
        self,
        instructions: str,
        question: str,
        shape: type[Shape],
        allowance: Allowance,
        max_output_tokens: int,
    ) -> Shape:
        text = self._complete(instructions, question, shape, allowance, max_output_tokens)
        try:
            return structured_output.parse_answer(text, shape)
        except ValueError as fault:
            corrected = f"{question}\n\nYour last answer could not be used: {fault}. Answer again as JSON."
        text = self._complete(instructions, corrected, shape, allowance, max_output_tokens)
        try:
            return structured_output.parse_answer(text, shape)
        except ValueError:
            failure = self._record_failure("does not answer in the shape that was asked for")
            raise AnswerUnusable(failure.message) from None

    def _complete(
        self,
        instructions: str,
        question: str,
        shape: type[BaseModel],
        allowance: Allowance,
        max_output_tokens: int,
    ) -> str:
        """The text of the model's answer, in the first output mode that the server supports."""
        has_retried = False
        while True:
            mode_index = self._mode_index
            request = ChatRequest(MODES[mode_index], instructions, question, shape, max_output_tokens)
            allowance.count_call(estimate_tokens(instructions + question) + max_output_tokens // 4)
            try:
                answer = self._call_within_budget(request)
            except _UnsupportedModeError:
                if mode_index + 1 == len(MODES):
                    raise self._record_failure("refuses our questions") from None
                self._mode_index = max(self._mode_index, mode_index + 1)
                continue
            except _TransientError as error:
                if has_retried:
                    raise self._record_failure(error.reason) from None
                has_retried = True
                continue
            allowance.deduct_tokens(answer.input_tokens + answer.output_tokens)
            if answer.refused:
                metrics.MODEL_CALLS.labels("declined").inc()
                raise AnswerUnusable(f"{self.name} declines to answer.")
            return answer.text

    def _call_within_budget(self, request: ChatRequest) -> ChatResponse:
        """One call within the daily cost limit. Its cost is recorded."""
        max_cost = self._prices.cost(request.max_input_tokens, request.max_output_tokens)
        reserved = spending_limits.reserve(self._database, self._prices, max_cost, now=self._now())
        try:
            answer = self._call(request)
        except _LostResponseError as error:  # the server may have processed it, so it counts in full
            raise self._record_failure(error.reason) from None
        except _TransientError as error:
            if error.is_free:
                self._record_cost(reserved, 0, 0)
            raise
        except (ModelFailed, _UnsupportedModeError):
            self._record_cost(reserved, 0, 0)
            raise
        self._record_cost(reserved, answer.input_tokens, answer.output_tokens)
        metrics.MODEL_CALLS.labels("answered").inc()
        return answer

    def _record_cost(self, reserved: Reservation, input_tokens: int, output_tokens: int) -> None:
        cost, tokens = self._prices.cost(input_tokens, output_tokens), input_tokens + output_tokens
        spending_limits.record_cost(self._database, reserved, tokens=tokens, cost=cost)
        metrics.MODEL_TOKENS.labels("input").inc(input_tokens)
        metrics.MODEL_TOKENS.labels("output").inc(output_tokens)
        if tokens:
            log.info("model_called", model=self.name, tokens=tokens, cost=str(cost))

    def _call(self, request: ChatRequest) -> ChatResponse:
        import httpx2
        import openai

        messages: Any = [
            {"role": "system", "content": request.system_prompt},
            {"role": "user", "content": request.question},
        ]
        try:
            completion = self._get_client().chat.completions.create(
                model=self.name,
                messages=messages,
                **self._limit_arguments(request.max_output_tokens),
                **request.format_arguments,
            )
        except openai.APIStatusError as error:
            raise self._build_status_error(error, request.mode) from None
        except openai.APITimeoutError:
            raise _LostResponseError("does not answer in time") from None
        except openai.APIConnectionError as error:
            was_not_sent = isinstance(error.__cause__, httpx2.ConnectError)
            raise _TransientError("cannot be reached", is_free=was_not_sent) from None
        except (openai.OpenAIError, ValueError) as error:  # a body that is not JSON
            raise _LostResponseError(f"sends an unreadable answer ({type(error).__name__})") from None
        answer = parse_completion(completion, request.system_prompt + request.question)
        if answer is None:
            raise _LostResponseError("sends no chat completion")
        return answer

    def _limit_arguments(self, max_output_tokens: int) -> dict[str, Any]:
        """Reasoning models accept neither a temperature nor ``max_tokens``."""
        if self._is_reasoning:
            return {_REASONING_LIMIT: max_output_tokens}
        return {"temperature": 0, "max_tokens": max_output_tokens}

    def _build_status_error(self, error: "APIStatusError", mode: str) -> Exception:
        status = error.status_code
        if status == 400 and not self._is_reasoning and _REASONING_LIMIT in str(error.body):
            self._is_reasoning = True
            return _TransientError("refuses our questions")
        if status in _UNSUPPORTED_MODE_STATUSES and mode != "text":
            return _UnsupportedModeError()
        wait = _parse_retry_after(error.response.headers.get("retry-after"))
        if status in _TRANSIENT_STATUSES and wait is None:
            return _TransientError(f"answered with status {status}")
        denial = "refuses the key" if self._key is not None else "refuses access without a key"
        reasons = {
            401: f"{denial} (status 401)",
            403: f"{denial} (status 403)",
            429: "limits the rate of requests (status 429)",
        }
        return self._record_failure(reasons.get(status, f"answered with status {status}"), retry_after=wait)

    def _get_client(self) -> "OpenAI":
        with self._client_lock:
            if self._openai is None:
                import httpx2  # these imports take most of a second, so only processes with a model pay
                import openai

                self._openai = openai.OpenAI(
                    base_url=self._base_url,
                    api_key=self._key.get_secret_value() if self._key else "none",
                    organization="",  # otherwise the environment's would be sent to any server
                    project="",
                    timeout=REQUEST_TIMEOUT_SECONDS,
                    max_retries=0,  # each call is recorded separately, and the pause applies to all processes
                    http_client=httpx2.Client(trust_env=False, timeout=REQUEST_TIMEOUT_SECONDS),
                )
            return self._openai

    def _record_failure(self, reason: str, *, retry_after: timedelta | None = None) -> ModelFailed:
        until = circuit_breaker.record_failure(
            self._database, self._endpoint, reason, retry_after=retry_after, now=self._now()
        )
        metrics.MODEL_CALLS.labels("failed").inc()
        log.warning("model_failed", model=self.name, reason=reason, quiet_until=until.isoformat())
        return ModelFailed(f"{self.name} {reason}.")


def prices_from_settings(settings: Settings) -> Prices:
    return Prices(settings.model_price_input, settings.model_price_output, settings.model_daily_ceiling)


class _CallError(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _TransientError(_CallError):
    """A failure that an immediate retry may solve. ``is_free``: the server cannot have processed the call."""

    def __init__(self, reason: str, *, is_free: bool = True) -> None:
        super().__init__(reason)
        self.is_free = is_free


class _LostResponseError(_CallError):
    """No usable response to a call that the server may have processed."""


class _UnsupportedModeError(Exception):
    """The server does not support the output mode."""


def _parse_retry_after(retry_after: str | None) -> timedelta | None:
    """The wait in seconds that a server asks for; None for a date or no header."""
    if retry_after is None or not re.fullmatch(r"\d{1,7}(?:\.\d{1,6})?", retry_after.strip(), re.ASCII):
        return None
    return timedelta(seconds=float(retry_after))
