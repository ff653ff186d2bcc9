"""``chainproof topics fetch``: ask the feeds now, without a worker."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from backend.cli.exit_codes import DEPENDENCY_FAILED, WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import complain, err, fail, in_words, out
from backend.cli.terminal.tables import Column, print_table
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.topics.feeds.fetching import FeedReport, FeedResult


@in_words
def app(
    due: Annotated[bool, typer.Option("--due", help="Fetch only the feeds that are due.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fetch the enabled feeds and store new articles."""
    from backend.articles.rules.active_rules import ActiveRules
    from backend.topics.feeds.feed_list import load_configured
    from backend.topics.feeds.fetching import refresh_feeds

    settings = Settings()
    if settings.is_offline:
        fail(
            f"{settings.mode.capitalize()} mode asks no feed. Set CHAINPROOF_MODE=live to fetch news.",
            WRONG_USAGE,
        )
    listed = load_configured(settings)
    with _progress() as heard:
        report = refresh_feeds(
            settings,
            open_database(settings),
            ActiveRules(settings),
            now=datetime.now(UTC),
            configured=listed,
            everything=not due,
            **heard,
        )
    if as_json:
        print(json.dumps(_as_dict(report), indent=2, ensure_ascii=False))
    else:
        _show(report)
    if report.results and report.count("failed") == len(report.results):
        raise typer.Exit(DEPENDENCY_FAILED)


@contextmanager
def _progress() -> Iterator[dict[str, Any]]:
    """A line on standard error that counts the feeds that are done, where somebody is watching."""
    asked = done = 0
    with err.status("Asking feeds…") as status:

        def claimed(count: int) -> None:
            nonlocal asked
            asked = count

        def result(one: "FeedResult") -> None:
            nonlocal done
            done += 1
            status.update(f"{done} of {asked}: {escape(one.feed.name)}")

        yield {"on_claimed": claimed, "on_result": result}


def _show(report: "FeedReport") -> None:
    rows = []
    for one in report.results:
        if one.outcome != "unchanged":
            s = one.stored
            figures = (s.added, s.changed, s.known, s.duplicates, one.left_out)
            rows.append([one.feed.id, one.outcome, *(f"{n:,}" for n in figures)])
    if rows:
        titles = ("new", "changed", "known", "repeated", "left out")
        numbers = (Column(title, "number") for title in titles)
        print_table((Column("feed"), Column("outcome", "fixed"), *numbers), rows)
    for one in report.results:
        if one.problem:
            complain(f"{one.feed.id}: {one.problem}")
    told = report.as_dict()
    out.print(
        "Feeds: {answered} answered, {unchanged} had nothing new, {failed} failed. "
        "Articles: {added} added, {changed} changed.".format(**told),
        highlight=False,
    )


def _as_dict(report: "FeedReport") -> dict[str, Any]:
    feeds = [
        {
            "id": one.feed.id,
            "outcome": one.outcome,
            "added": one.stored.added,
            "changed": one.stored.changed,
            "known": one.stored.known,
            "duplicates": one.stored.duplicates,
            "left_out": one.left_out,
            "problem": one.problem,
        }
        for one in report.results
    ]
    return {**report.as_dict(), "feeds": feeds}
