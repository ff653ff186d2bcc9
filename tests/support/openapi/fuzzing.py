"""Runs Schemathesis over the service's OpenAPI document and collects the results."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.engine import Status, events, from_schema
from schemathesis.generation.case import Case
from schemathesis.hooks import HookContext
from schemathesis.openapi.checks import AllowHeaderMismatch, RejectedPositiveData, UseAfterFree

NOT_IN_SCHEMA = (
    "Must be the next_cursor of a previous response",  # only cursors that the service issued are valid
    "Must not be later than 'to'",  # two parameters that contradict each other
    "an integer beyond 64 bits",  # also in ignored fields
    "Must be UTF-8",  # the bytes of a header, as in the next line
    "Must consist of printable characters",
    "send at least one of them",  # one of several fields is required
    "must be an address",  # the pattern also matches URLs without a host
    "U+0000",  # no store accepts it
    "should have at least 1 character",  # not counting surrounding blanks
    "is unknown, expired or revoked",  # only the store knows valid tokens
    "there is no such day or time",  # the first and last possible hours, in other time zones
    "must be at most a hundred years",
    "Must not be sent together with",  # parameters that exclude each other
    "or once with two of evaluation",  # the number of profiles depends on the other parameters
    "Must occur once with a split or evaluations",
    "Must occur at most twice",
    "Must have two different ids",
    "is missing",  # an empty parameter counts as missing (RFC 6749, 3.1)
)
"""Parts of errors for input that matches every schema of the document."""

IGNORED_PARAMETERS = {"GET /rankings": {"limit"}, "POST /oauth/revoke": {"client_id"}}
"""Parameters that are valid with any value: an invalid limit is ignored, and the revocation of an invalid
token is not an error (RFC 7009, 2.2)."""

UNKNOWN_QUERY_PARAMETER = "in query - violates `additionalProperties`"
"""Part of a complaint about a parameter that the document does not name. The service ignores such parameters,
which OpenAPI cannot express."""

NESTED_PATH_PREFIX = "/v1/timelines/"
"""A profile's name may contain slashes, so GET is allowed on every path below, as ``Allow`` says."""

JOB_PATHS = ("/sources/{id}", "/entities/extractions/{id}")

REFUSAL_STATUSES = [400, 401, 403, 404, 405, 409, 415]


@dataclass
class FuzzingResult:
    """The responses, checks and failures of one run."""

    answers: Counter[int] = field(default_factory=Counter)
    by_operation: dict[str, Counter[int]] = field(default_factory=dict)
    phases: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str, str], str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    @property
    def requests(self) -> int:
        return sum(self.answers.values())

    @property
    def server_errors(self) -> int:
        return sum(count for status, count in self.answers.items() if status >= 500)

    def record(self, event: events.ScenarioFinished) -> None:
        recorder = event.recorder
        self.phases[event.phase.value] += len(recorder.interactions)
        for case_id, interaction in recorder.interactions.items():
            if interaction.response is None:
                self.errors.append(f"No response to {interaction.request.method} {interaction.request.uri}")
                continue
            status = interaction.response.status_code
            self.answers[status] += 1
            label = recorder.cases[case_id].value.operation.label
            self.by_operation.setdefault(label, Counter())[status] += 1
            for check in recorder.checks.get(case_id, ()):
                self.checks[check.name] += 1
                if check.status is Status.FAILURE and check.failure_info is not None:
                    failure = check.failure_info.failure
                    key = (failure.operation or label, check.name, failure.title)
                    answer = interaction.response.text[:600]
                    self.failures.setdefault(
                        key, f"{failure.message}\n{answer}\n{check.failure_info.code_sample[:2000]}"
                    )


def build_config(
    key: str | None, *, more: Mapping[str, Any] | None = None, **generation: Any
) -> SchemathesisConfig:
    """Enable every check. ``key`` grants access to all operations; without it none is granted."""
    return SchemathesisConfig.from_dict(
        {
            "cache": {"enabled": False},
            "analysis": {"constants": {"enabled": False}},  # reading all source takes longer than the run
            "warnings": False,
            "headers": {"CP-X-API-KEY": key} if key else {},
            "continue-on-failure": True,
            "checks": {
                # A list over its limit is 413, like a body over its size.
                "negative_data_rejection": {"expected-statuses": [*REFUSAL_STATUSES, 413]},
            },
            "generation": {
                "database": "none",
                "no-shrink": True,
                "with-security-parameters": False,
                **generation,
            },
            **(more or {}),
        }
    )


def load_schema(document: dict[str, Any], config: SchemathesisConfig) -> Any:
    """Load the document into Schemathesis. The caller sets ``app`` or ``base_url``."""
    schema = schemathesis.openapi.from_dict(document, config=config)
    schema.hook("filter_failure")(is_a_failure)
    return schema


def run_all(schema: Any, *, until: Callable[[FuzzingResult], bool] = lambda _: False) -> FuzzingResult:
    """Run all phases, or until ``until`` returns true for the result so far."""
    result = FuzzingResult()
    stream = from_schema(schema).execute()
    for event in stream:
        if isinstance(event, events.ScenarioFinished):
            result.record(event)
        elif isinstance(event, events.NonFatalError):
            result.errors.append(f"{event.label}: {event.value}")
        elif isinstance(event, events.FatalError):
            raise event.exception
        if until(result):
            stream.stop()
    return result


def is_a_failure(_context: HookContext, failure: Failure, case: Case, response: Response) -> bool:
    """Whether a failure is a bug of the service or its document, and not a limitation of a check."""
    if isinstance(failure, RejectedPositiveData):
        return not is_refused_beyond_schema(response)
    if isinstance(failure, schemathesis.core.failures.AcceptedNegativeData):
        is_ignored = UNKNOWN_QUERY_PARAMETER in failure.message or mutates_only_ignored_parameters(case)
        return not is_ignored
    if isinstance(failure, UseAfterFree):  # a cancelled job can still be read
        return not case.operation.path.startswith(JOB_PATHS)
    if isinstance(failure, AllowHeaderMismatch):
        return not case.operation.path.startswith(NESTED_PATH_PREFIX)
    return True


def is_refused_beyond_schema(response: Response) -> bool:
    if response.headers.get("content-type", [""])[0].startswith("text/html"):
        return True  # only the store knows applications and redirect URIs
    try:
        body = response.json()
    except ValueError:
        return False
    errors = body.get("errors") or [{"msg": body.get("message") or body.get("error_description", "")}]
    return all(any(part in error["msg"] for part in NOT_IN_SCHEMA) for error in errors)


def mutates_only_ignored_parameters(case: Case) -> bool:
    ignored = IGNORED_PARAMETERS.get(case.operation.label, set())
    meta = case.meta
    assert meta is not None
    data: Any = meta.phase.data
    mutated = {mutation.parameter for mutation in getattr(data, "mutations", ())} or {data.parameter}
    unsent = {name for name, value in (case.query or {}).items() if value is None}
    return mutated - unsent <= ignored


def strip_lifespan(app: Any) -> Any:
    """Wrap ``app`` for requests only: its creator starts and stops the background tasks."""

    async def requests_only(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await app(scope, receive, send)
        else:
            raise RuntimeError("only requests are accepted")

    return requests_only
