"""The editor's work of this session: the article before them and what is done with it.

The texts stay in the session: nothing of them goes into the address or, unless it is asked for, into
the service's store.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import streamlit as st

from dashboard.app_pages.corrections import article_edits as texts
from dashboard.app_pages.corrections import findings
from dashboard.app_pages.corrections.article_edits import Edits
from dashboard.app_pages.corrections.article_files import Opened
from dashboard.app_pages.corrections.edit_history import Desk, Done, Step
from dashboard.app_pages.corrections.findings import Decision
from dashboard.client import Problem, articles
from dashboard.client.article_schemas import Article, build_blank_article
from dashboard.client.articles import ScanResult
from dashboard.client.post_requests import Posted
from dashboard.i18n import t

_KEY = "corrections_bench"
_STATUSES = ("approved", "ignored")


@dataclass
class Bench:
    """``draft`` is what the input boxes begin with. ``turn`` counts what was done in the review."""

    desk: Desk = field(default_factory=Desk)
    draft: Article = field(default_factory=build_blank_article)
    opened: Opened | None = None
    editing: bool = True
    asked: bool = False
    """A check was asked for; the page makes it while it shows that it does."""
    store: bool = False
    problem: Problem | None = None
    again: str = ""
    """What failed in the review and may be tried again."""
    notice: str = ""
    message: str = ""
    turn: int = 0
    boxes: int = 0
    """Counts how often the input boxes were filled anew."""


def bench() -> Bench:
    found: Bench = st.session_state.setdefault(_KEY, Bench())
    return found


def begin(article: Article, opened: Opened | None = None) -> None:
    """Put another article into the input boxes; what was done so far can still be undone."""
    now = bench()
    now.draft, now.opened, now.editing, now.problem, now.notice = article, opened, True, None, ""
    now.boxes += 1


def open_checked(article: Article, scan: ScanResult, rules_version: str, opened: Opened, row: int) -> None:
    """Review an article of a batch, which was scanned with it."""
    now = bench()
    step = now.desk.checked(article, scan, rules_version, opened, row)
    now.draft, now.opened, now.editing, now.problem, now.notice = article, opened, False, None, ""
    now.turn += 1
    now.message = found_words(step)


def check(article: Article, *, persist: bool) -> None:
    """Scan the article as given, and show what is found."""
    now = bench()
    now.draft = article
    now.problem = None
    now.notice = ""
    answer = articles.scan([article], persist=persist)
    if persist and answer.error is not None and answer.error.status == HTTPStatus.FORBIDDEN:
        now.notice = t("corrections.not_stored_key")
        answer = articles.scan([article], persist=False)
    elif persist and answer.data:
        now.notice = t("corrections.stored", n=len(answer.data[0]["violations"]))
    found = _only(answer)
    if found is None:
        return
    version = articles.get_rules_version(answer)
    before = now.desk.step
    edits = findings.edits_by_hand(before.article, article) if before is not None else None
    if before is not None and before.article == article:
        step = now.desk.renewed(found, version)
    elif edits is not None:
        step = now.desk.changed("edited", article, edits, found, version, now.opened)
    else:
        step = now.desk.checked(article, found, version, now.opened)
    now.editing = False
    now.again = ""
    now.turn += 1
    now.message = found_words(step)


def act(name: str) -> None:
    """Do what the editor asked for in the review."""
    now = bench()
    step = now.desk.step
    if step is None:
        return
    now.problem, now.notice, now.message, now.again = None, "", "", ""
    ACTS[name](now, step)
    now.turn += 1
    if now.problem is not None:
        now.again = name


def keep(sent: Mapping[str, Any]) -> None:
    """Note the decisions that the browser tells of; what cannot have come from the review is left out."""
    decisions: dict[int, Decision] = {}
    for entry in sent.get("decisions") or ():
        n, status, text = entry
        if isinstance(n, (int, float)) and status in _STATUSES and isinstance(text, str | None):
            decisions[int(n)] = Decision(status, text)
    bench().desk.keep(int(sent.get("step") or 0), decisions, new=bool(sent.get("new")))


def found_words(step: Step) -> str:
    counts = findings.count(step.findings)
    if not counts.all:
        return t("corrections.clean")
    return t("corrections.found", n=counts.all, safe=counts.safe)


def _safe(now: Bench, step: Step) -> None:
    """The service's own answer; only what the editor ignores is left out of it."""
    answer = articles.apply([step.article])
    results = answer.data
    if answer.error is not None or not results:
        now.problem = answer.error
        return
    try:
        edits = findings.safe_edits(step.article, results[0]["applied"], step.findings, step.decisions)
    except texts.WrongPlace as fault:
        now.problem = _misplaced(fault)
        return
    done = _proceed(now, "safe", step, edits)
    if done is not None:
        now.message = t("corrections.did_safe", n=done.made, left=len(done.findings))


def _approved(now: Bench, step: Step) -> None:
    try:
        edits = findings.approved_edits(step.article, step.findings, step.decisions)
    except texts.WrongPlace as fault:
        now.problem = _misplaced(fault)
        return
    if not edits:
        now.message = t("corrections.none_approved")
        return
    done = _proceed(now, "approved", step, edits)
    if done is not None:
        now.message = t("corrections.did_approved", n=done.made, left=len(done.findings))


def _proceed(now: Bench, done: Done, step: Step, edits: Edits) -> Step | None:
    """Make the edits and scan what came of them; never stored, since it is the editor's own text."""
    article = texts.edited(step.article, edits)
    answer = articles.scan([article], persist=False)
    found = _only(answer)
    if found is None:
        return None
    now.draft = article
    return now.desk.changed(done, article, edits, found, articles.get_rules_version(answer))


def _undo(now: Bench, _: Step) -> None:
    now.desk.undo()
    _there(now, t("corrections.undone"))


def _redo(now: Bench, _: Step) -> None:
    now.desk.redo()
    _there(now, t("corrections.redone"))


def _there(now: Bench, message: str) -> None:
    step = now.desk.step
    if step is not None:
        now.draft, now.opened = step.article, step.source
    now.message = message


def _edit(now: Bench, step: Step) -> None:
    now.draft, now.editing = step.article, True
    now.boxes += 1


ACTS: Mapping[str, Callable[[Bench, Step], None]] = {
    "safe": _safe,
    "approved": _approved,
    "undo": _undo,
    "redo": _redo,
    "edit": _edit,
}


def _only(answer: Posted[list[ScanResult]]) -> ScanResult | None:
    """The one result; null when there is none, and the bench says why."""
    if answer.error is not None or not answer.data:
        bench().problem = answer.error
        return None
    return answer.data[0]


def _misplaced(fault: texts.WrongPlace) -> Problem:
    return Problem("malformed", str(fault))
