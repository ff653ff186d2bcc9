"""Defines the result of a check that ``chainproof doctor`` runs."""

from typing import Literal, NamedTuple

CheckState = Literal["ok", "note", "fault"]
"""``fault``: something does not work. ``note``: it works, but the operator should know."""


class CheckResult(NamedTuple):
    subject: str
    state: CheckState
    sentence: str
