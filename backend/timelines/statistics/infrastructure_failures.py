"""Detects runs that failed in the infrastructure and say nothing about the model.

Such runs score zero, and public leaderboards count them as failures of the model. In one published set of 332
runs, 119 never started their agent; the profile's rate is 15 % with them and 24 % without.

The sender's ``machinery_failure`` always decides. If the sender gives none, the rule is conservative:
excluding a run that the model failed makes the model look better than it is. A run counts as an
infrastructure failure only if all of these hold:

1. it did not succeed and scored nothing (``total_score`` at most 0);
2. its ``error`` matches :data:`ERROR_PATTERN`, or its only deduction takes everything and has a name that
   matches :data:`FAILURE_NAME_PATTERN` (importers write such names);
3. nothing shows that the agent acted: no file read or written and no bonus.

Descriptions of checks are never searched: a task about a refused connection contains "connection refused".
Timeouts never count, because the model is as often the cause. Parse errors of a checker do not count either.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from backend.timelines.model import Metrics, ScoreAdjustment

ERROR_PATTERN = re.compile(
    r"command not found|no such (?:command|image|container)|executable file not found"
    r"|(?:agent|harness|tool) (?:was )?(?:never|not) (?:started|installed|found)"
    r"|(?:install|installation|setup|provision\w*) (?:has )?failed|failed to (?:install|provision|pull)"
    r"|(?:failed to|could not|cannot) (?:start|launch|create|build) (?:the )?"
    r"(?:agent|container|sandbox|environment|image|vm|docker)"
    r"|(?:docker|container|sandbox) (?:daemon|died|crashed|exited|is not running|unavailable)"
    r"|out of disk|no space left on device|out of memory: kill|oom-?killed"
    r"|connection (?:refused|reset|aborted|error)|name or service not known|temporary failure in name"
    r"|bad gateway|service unavailable|gateway time-?out|overloaded_error|internal server error"
    r"|rate.?limit|too many requests|insufficient_quota|quota (?:is |was )?exceeded|out of credits"
    r"|(?:invalid|missing|incorrect) api.?key|authentication_?error|unauthori[sz]ed"
    r"|\b(?:http|status|error|code)\D{0,8}(?:401|402|403|429|500|502|503|504|529)\b",
    re.IGNORECASE,
)
"""Error texts about a missing agent, sandbox, disk or network, or about a provider that does not respond."""
FAILURE_NAME_PATTERN = re.compile(
    r"(?:unknown_)?agent_(?:error|installation_failed|not_started|not_installed|crash(?:ed)?)"
    r"|(?:sandbox|container|environment|docker|provider|infrastructure|setup)_(?:error|failure|failed)",
    re.IGNORECASE,
)
"""Failure modes that a harness assigns to a run, matched as a whole."""
_FAILURE_MODE = re.compile(r"failure_mode:\s*([\w-]+)")


class Scored(Protocol):
    """The fields that the rule uses; sent and stored runs have them."""

    @property
    def success(self) -> bool: ...
    @property
    def total_score(self) -> float: ...
    @property
    def metrics(self) -> Metrics: ...
    @property
    def deductions(self) -> Sequence[ScoreAdjustment]: ...
    @property
    def bonuses(self) -> Sequence[ScoreAdjustment]: ...


def is_infrastructure_failure(run: Scored, *, reported: bool | None, error: str | None) -> bool:
    """True if ``run`` failed in the infrastructure: by its sender's statement ``reported``, else by the rule
    above."""
    if reported is not None:
        return reported
    if run.success or run.total_score > 0 or run.bonuses or _has_acted(run):
        return False
    return bool(ERROR_PATTERN.search(error or "")) or _is_named_failure(run)


def _has_acted(run: Scored) -> bool:
    return bool(run.metrics.read_file_calls or run.metrics.write_file_calls)


def _is_named_failure(run: Scored) -> bool:
    """True if the only deduction has an infrastructure failure as its name or stated failure mode."""
    if len(run.deductions) != 1:
        return False
    mode = _FAILURE_MODE.search(run.deductions[0].description)
    names = [run.deductions[0].name, *(mode.groups() if mode else ())]
    return any(FAILURE_NAME_PATTERN.fullmatch(name) for name in names)
