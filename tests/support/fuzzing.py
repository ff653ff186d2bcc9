"""Schemathesis over the service's own document: what it is told, and what it brings home."""

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

NO_SCHEMA_SAYS = (
    "Is no cursor of this service",  # what the service itself gave, and nothing else
    "Is later than 'to'",  # two parameters that contradict each other
    "an integer beyond 64 bits",  # in fields that are otherwise ignored too
    "Must be UTF-8",  # the bytes of a header, and so the next
    "Must consist of printable characters",
    "send at least one of them",  # one of several fields has to say something
    "must be an address",  # a pattern lets more pass than has a host
    "olds U+0000",  # which no store keeps
    "should have at least 1 character",  # besides the blanks around it
    "is unknown, expired or revoked",  # a token that the store alone knows
    "there is no such day or time",  # the first and the last hours of all time, in other zones
    "must be at most a hundred years",
    "is missing",  # an empty one counts as none (RFC 6749, 3.1), and which are needed depends on grant_type
)
"""Sentences by which input is refused that fits every schema of the document."""

IGNORES_WHAT_IS_WRONG = {"GET /rankings": {"limit"}, "POST /oauth/revoke": {"client_id"}}
"""Parameters that are no errors whatever they hold: a limit that is none is ignored by contract, and who
revokes what is no token learns nothing (RFC 7009, 2.2)."""

WITH_A_PATH_OF_ANY_DEPTH = "/v1/timelines/"
"""A profile's name may hold slashes, so that every path below is one of GET too, which ``Allow`` says."""

JOBS = ("/sources/{id}", "/entities/extractions/{id}")

REFUSED = [400, 401, 403, 404, 405, 409, 415]


@dataclass
class Bag:
    """What a hunt brought home."""

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

    def take(self, event: events.ScenarioFinished) -> None:
        recorder = event.recorder
        self.phases[event.phase.value] += len(recorder.interactions)
        for case_id, interaction in recorder.interactions.items():
            if interaction.response is None:
                self.errors.append(f"No answer to {interaction.request.method} {interaction.request.uri}")
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


def configuration(
    key: str | None, *, more: Mapping[str, Any] | None = None, **generation: Any
) -> SchemathesisConfig:
    """Every check there is. ``key`` opens all; without one nobody is let in."""
    return SchemathesisConfig.from_dict(
        {
            "cache": {"enabled": False},
            "analysis": {"constants": {"enabled": False}},  # reading all source takes longer than the hunt
            "warnings": False,
            "headers": {"CP-X-API-KEY": key} if key else {},
            "continue-on-failure": True,
            "checks": {
                # A list that is over its limit is 413, as a body over its size is.
                "negative_data_rejection": {"expected-statuses": [*REFUSED, 413]},
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


def schema_of(document: dict[str, Any], config: SchemathesisConfig) -> Any:
    """The document as Schemathesis reads it; say where it is served by ``app`` or ``base_url``."""
    schema = schemathesis.openapi.from_dict(document, config=config)
    schema.hook("filter_failure")(is_a_failure)
    return schema


def hunt(schema: Any, *, until: Callable[[Bag], bool] = lambda _: False) -> Bag:
    """Run all phases, or until the bag says that it is enough."""
    bag = Bag()
    stream = from_schema(schema).execute()
    for event in stream:
        if isinstance(event, events.ScenarioFinished):
            bag.take(event)
        elif isinstance(event, events.NonFatalError):
            bag.errors.append(f"{event.label}: {event.value}")
        elif isinstance(event, events.FatalError):
            raise event.exception
        if until(bag):
            stream.stop()
    return bag


def is_a_failure(_context: HookContext, failure: Failure, case: Case, response: Response) -> bool:
    """Whether the service or its document is to blame, or a check knows less than the contract."""
    if isinstance(failure, RejectedPositiveData):
        return not refused_for_what_no_schema_says(response)
    if isinstance(failure, schemathesis.core.failures.AcceptedNegativeData):
        return not only_ignored(case)
    if isinstance(failure, UseAfterFree):  # a job that was cancelled is still there to be read
        return not case.operation.path.startswith(JOBS)
    if isinstance(failure, AllowHeaderMismatch):
        return not case.operation.path.startswith(WITH_A_PATH_OF_ANY_DEPTH)
    return True


def refused_for_what_no_schema_says(response: Response) -> bool:
    if response.headers.get("content-type", [""])[0].startswith("text/html"):
        return True  # which applications there are, and where codes go, the store alone knows
    try:
        told = response.json()
    except ValueError:
        return False
    faults = told.get("errors") or [{"msg": told.get("message") or told.get("error_description", "")}]
    return all(any(said in fault["msg"] for said in NO_SCHEMA_SAYS) for fault in faults)


def only_ignored(case: Case) -> bool:
    ignored = IGNORES_WHAT_IS_WRONG.get(case.operation.label, set())
    meta = case.meta
    assert meta is not None
    data: Any = meta.phase.data
    mutated = {each.parameter for each in getattr(data, "mutations", ())} or {data.parameter}
    unsent = {name for name, value in (case.query or {}).items() if value is None}
    return mutated - unsent <= ignored


def without_lifespan(app: Any) -> Any:
    """``app`` for requests alone: who built it starts and ends what lives beside it."""

    async def bare(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await app(scope, receive, send)
        else:
            raise RuntimeError("only requests are taken")

    return bare
