"""Holds the article that is edited in this session, and runs the actions of its review.

Texts stay in the session: they are never in the URL, and the service stores findings only on request.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import streamlit as st

from backend.articles.schemas import MAX_ACCEPTED, MAX_ACCEPTED_CHARS
from dashboard.app_pages.corrections import (
    applied_changes,
    article_edits,
    edit_history,
    findings,
    visible_name,
)
from dashboard.app_pages.corrections.article_edits import Edits
from dashboard.app_pages.corrections.article_files import ArticleFile
from dashboard.app_pages.corrections.edit_history import EditHistory, Step, StepKind
from dashboard.app_pages.corrections.findings import Decision
from dashboard.client import Problem, articles
from dashboard.client.article_schemas import Article, build_blank_article
from dashboard.client.articles import ScanResult
from dashboard.client.post_requests import Posted
from dashboard.components.draft_storage import forget_draft
from dashboard.i18n import t

FORM = "article"
TEXT_FIELDS = ("cr_title", "cr_content", "cr_summary", "cr_tags", "cr_date")
"""The keys of the form's text boxes."""
_KEY = "corrections_editor"
_VALID_STATUSES = ("approved", "ignored")


@dataclass
class EditorState:
    """``draft`` is the article in the form. ``action_count`` counts the actions in the review."""

    history: EditHistory = field(default_factory=EditHistory)
    draft: Article = field(default_factory=build_blank_article)
    source: ArticleFile | None = None
    editing: bool = True
    check_requested: bool = False
    """The page runs the check at the next run, while it shows a skeleton."""
    store: bool = False
    problem: Problem | None = None
    retry_action: tuple[str, ...] = ()
    """The failed action of the review that can be retried, and its text; empty for none."""
    notice: str = ""
    message: str = ""
    action_count: int = 0
    form_version: int = 0
    """Increments when the form is filled again."""


def load_state() -> EditorState:
    state: EditorState = st.session_state.setdefault(_KEY, EditorState())
    return state


def replace_state(state: EditorState) -> None:
    st.session_state[_KEY] = state


def start_article(article: Article, source: ArticleFile | None = None) -> None:
    """Put another article into the form; earlier steps can still be undone."""
    state = load_state()
    state.draft, state.source, state.editing, state.problem, state.notice = article, source, True, None, ""
    state.form_version += 1
    forget_draft(FORM)


def open_scanned(
    article: Article, scan: ScanResult, rules_version: str, source: ArticleFile, row: int
) -> None:
    """Review an article of a batch that is already scanned."""
    state = load_state()
    step = state.history.add_checked(article, scan, rules_version, source, row)
    state.draft, state.source, state.editing, state.problem, state.notice = article, source, False, None, ""
    state.action_count += 1
    state.message = summarize_findings(step)


def check_article(article: Article, *, persist: bool) -> None:
    """Scan the article and add the result to the history."""
    state = load_state()
    state.draft = article
    state.problem = None
    state.notice = ""
    response = articles.scan([article], persist=persist)
    if persist and response.error is not None and response.error.status == HTTPStatus.FORBIDDEN:
        state.notice = t("corrections.not_stored_key")
        response = articles.scan([article], persist=False)
    elif persist and response.data:
        state.notice = t("corrections.stored", n=len(response.data[0]["violations"]))
    result = _get_only_result(response)
    if result is None:
        return
    version = articles.get_rules_version(response)
    before = state.history.step
    edits = findings.find_manual_edits(before.article, article) if before is not None else None
    if before is not None and before.article == article:
        step = state.history.refresh_findings(result, version)
    elif edits is not None:
        step = state.history.add_edited("edited", article, edits, result, version, state.source)
    else:
        step = state.history.add_checked(article, result, version, state.source)
    state.editing = False
    forget_draft(FORM)
    state.retry_action = ()
    state.action_count += 1
    state.message = summarize_findings(step)


def run_action(name: str, text: str = "") -> None:
    """Run an action of the review; ``text`` is the subject of a subject action."""
    state = load_state()
    step = state.history.step
    if step is None:
        return
    state.problem, state.notice, state.message, state.retry_action = None, "", "", ()
    if name in SUBJECT_ACTIONS:
        SUBJECT_ACTIONS[name](state, step, text)
    else:
        ACTIONS[name](state, step)
    state.action_count += 1
    if state.problem is not None:
        state.retry_action = (name, text)


def store_decisions(message: Mapping[str, Any]) -> None:
    """Store the decisions that the browser sent; invalid entries are ignored."""
    decisions: dict[int, Decision] = {}
    for entry in message.get("decisions") or ():
        n, status, text = entry
        if isinstance(n, (int, float)) and status in _VALID_STATUSES and isinstance(text, str | None):
            decisions[int(n)] = Decision(status, text)
    load_state().history.store_decisions(
        int(message.get("step") or 0), decisions, new=bool(message.get("new"))
    )


def summarize_findings(step: Step) -> str:
    counts = findings.count_findings(step.findings)
    if not counts.all:
        return t("corrections.clean")
    return t("corrections.found", n=counts.all, safe=counts.safe)


def _apply_safe(state: EditorState, step: Step) -> None:
    """Apply the service's safe corrections, except those that the editor ignores."""
    response = articles.apply([step.article])
    results = response.data
    if response.error is not None or not results:
        state.problem = response.error
        return
    try:
        edits = findings.build_safe_edits(step.article, results[0]["applied"], step.findings, step.decisions)
    except article_edits.EditMismatchError as error:
        state.problem = _build_mismatch_problem(error)
        return
    step_after = _apply_and_scan(state, "safe", step, edits)
    if step_after is not None:
        state.message = t("corrections.did_safe", n=step_after.edit_count, left=len(step_after.findings))


def _apply_approved(state: EditorState, step: Step) -> None:
    try:
        edits = findings.build_approved_edits(step.article, step.findings, step.decisions)
    except article_edits.EditMismatchError as error:
        state.problem = _build_mismatch_problem(error)
        return
    if not edits:
        state.message = t("corrections.none_approved")
        return
    step_after = _apply_and_scan(state, "approved", step, edits)
    if step_after is not None:
        state.message = t("corrections.did_approved", n=step_after.edit_count, left=len(step_after.findings))


def _apply_single(state: EditorState, step: Step, index: str) -> None:
    """Apply the correction of one finding, with the chosen name if the rule offers several."""
    number = int(index) if index.isdecimal() else -1
    if not 0 <= number < len(step.findings):
        return
    chosen = step.decisions.get(number)
    decision = Decision("approved", chosen.text if chosen else None)
    try:
        edits = findings.build_approved_edits(step.article, step.findings, {number: decision})
    except article_edits.EditMismatchError as error:
        state.problem = _build_mismatch_problem(error)
        return
    if not edits:
        return
    step_after = _apply_and_scan(state, "single", step, edits)
    if step_after is not None:
        (((_, _, name),),) = edits.values()
        state.message = t("corrections.did_single", name=name, left=len(step_after.findings))


def _revert_change(state: EditorState, step: Step, index: str) -> None:
    """Revert one change. Its finding is ignored from then on, so that it is not corrected again."""
    changes = applied_changes.list_changes(step)
    number = int(index) if index.isdecimal() else -1
    if not 0 <= number < len(changes):
        return
    change = changes[number]
    step_after = _apply_and_scan(state, "reverted", step, applied_changes.build_reverting_edits(change))
    if step_after is None:
        return
    end = change.start + len(change.old)
    ignored = {
        n: Decision("ignored")
        for n, finding in enumerate(step_after.findings)
        if finding.field == change.field and finding.start < end and finding.end > change.start
    }
    state.history.store_carried_decisions({**step_after.decisions, **ignored})
    state.message = t("corrections.did_revert", name=visible_name.build_visible_name(change.old))


def _set_date(state: EditorState, step: Step, day: str) -> None:
    """Set the article's date, or clear it so that it is looked for in the article."""
    day = edit_history.parse_day(day)
    if day != edit_history.parse_day(step.article["date"] or ""):
        step_after = _scan_changed(state, "dated", {**step.article, "date": day or None}, {})
        if step_after is not None:
            state.message = t("corrections.did_date", left=len(step_after.findings))


def _accept_name(state: EditorState, step: Step, name: str) -> None:
    """Accept a name in this article, so that it is no longer reported."""
    accepted = step.article["accept"]
    if not 0 < len(name) <= MAX_ACCEPTED_CHARS or name in accepted:
        return
    if len(accepted) >= MAX_ACCEPTED:
        state.message = t("corrections.accepted_full", n=MAX_ACCEPTED)
        return
    _change_accepted(state, step, [*accepted, name], "accept", name)


def _unaccept_name(state: EditorState, step: Step, name: str) -> None:
    """Remove a name from the accepted ones."""
    accepted = [each for each in step.article["accept"] if each != name]
    _change_accepted(state, step, accepted, "unaccept", name)


def _change_accepted(state: EditorState, step: Step, accepted: list[str], action: str, name: str) -> None:
    step_after = _scan_changed(state, "accepted", {**step.article, "accept": accepted}, {})
    if step_after is not None:
        state.message = t(f"corrections.did_{action}", name=name, left=len(step_after.findings))


def _apply_and_scan(state: EditorState, kind: StepKind, step: Step, edits: Edits) -> Step | None:
    """Apply the edits and scan the result."""
    return _scan_changed(state, kind, article_edits.apply_article_edits(step.article, edits), edits)


def _scan_changed(state: EditorState, kind: StepKind, article: Article, edits: Edits) -> Step | None:
    """Scan a changed article as a new step. The findings are not stored: the text is the editor's own."""
    response = articles.scan([article], persist=False)
    result = _get_only_result(response)
    if result is None:
        return None
    state.draft = article
    return state.history.add_edited(kind, article, edits, result, articles.get_rules_version(response))


def _undo_step(state: EditorState, _: Step) -> None:
    state.history.undo()
    _show_current_step(state, t("corrections.undone"))


def _redo_step(state: EditorState, _: Step) -> None:
    state.history.redo()
    _show_current_step(state, t("corrections.redone"))


def _show_current_step(state: EditorState, message: str) -> None:
    step = state.history.step
    if step is not None:
        state.draft, state.source = step.article, step.source
    state.message = message


def _edit_article(state: EditorState, step: Step) -> None:
    state.draft, state.editing = step.article, True
    state.form_version += 1


ACTIONS: Mapping[str, Callable[[EditorState, Step], None]] = {
    "safe": _apply_safe,
    "approved": _apply_approved,
    "undo": _undo_step,
    "redo": _redo_step,
    "edit": _edit_article,
}
SUBJECT_ACTIONS: Mapping[str, Callable[[EditorState, Step, str], None]] = {
    "accept": _accept_name,
    "unaccept": _unaccept_name,
    "single": _apply_single,
    "revert": _revert_change,
    "date": _set_date,
}
"""Actions with a subject: a name, the index of a finding or of a change, or a date."""


def _get_only_result(response: Posted[list[ScanResult]]) -> ScanResult | None:
    """Return the only result; null if there is none, with the problem in the state."""
    if response.error is not None or not response.data:
        load_state().problem = response.error
        return None
    return response.data[0]


def _build_mismatch_problem(error: article_edits.EditMismatchError) -> Problem:
    return Problem("malformed", str(error))
