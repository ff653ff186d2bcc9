"""Defines ``chainproof topics fetch``: fetches the feeds and groups the news now, without a worker."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from backend.cli.exit_codes import DEPENDENCY_FAILED, WRONG_USAGE
from backend.cli.open_store import open_database
from backend.cli.terminal.console import err, fail, handle_errors, out, print_error
from backend.cli.terminal.tables import Column, print_table
from backend.formats.plurals import format_count
from backend.settings import Settings

if TYPE_CHECKING:
    from backend.topics.feeds.fetching import FeedReport, FeedResult
    from backend.topics.grouping.regrouping import RegroupResult


@handle_errors
def app(
    due: Annotated[bool, typer.Option("--due", help="Fetch only the feeds that are due.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fetch the enabled feeds, store new articles and group them into topics."""
    from backend.articles.rules.active_rules import ActiveRules
    from backend.topics.feeds.feed_list import load_configured
    from backend.topics.feeds.fetching import refresh_feeds
    from backend.topics.tasks import group_news

    settings = Settings()
    if settings.is_offline:
        fail(
            f"{settings.mode.capitalize()} mode fetches no feeds. Set CHAINPROOF_MODE=live to fetch news.",
            WRONG_USAGE,
        )
    feed_list = load_configured(settings)
    database, rules, now = open_database(settings), ActiveRules(settings), datetime.now(UTC)
    with _show_progress() as callbacks:
        report = refresh_feeds(
            settings, database, rules, now=now, configured=feed_list, force=not due, **callbacks
        )
    with err.status("Grouping articles…"):
        grouped = group_news(settings, database, rules.current, feed_list.enabled, now=now)
    if as_json:
        print(json.dumps(_build_report_json(report, grouped), indent=2, ensure_ascii=False))
    else:
        _print_report(report)
        _print_grouping(grouped)
    if report.results and report.count("failed") == len(report.results):
        raise typer.Exit(DEPENDENCY_FAILED)


@contextmanager
def _show_progress() -> Iterator[dict[str, Any]]:
    """Show the number of fetched feeds on standard error, if that is a terminal."""
    total = done = 0
    with err.status("Fetching feeds…") as status:

        def on_claimed(count: int) -> None:
            nonlocal total
            total = count

        def on_result(result: "FeedResult") -> None:
            nonlocal done
            done += 1
            status.update(f"{done} of {total}: {escape(result.feed.name)}")

        yield {"on_claimed": on_claimed, "on_result": on_result}


def _print_report(report: "FeedReport") -> None:
    rows = []
    for result in report.results:
        if result.outcome != "unchanged":
            stored = result.stored
            counts = (stored.added, stored.changed, stored.known, stored.duplicates, result.left_out)
            rows.append([result.feed.id, result.outcome, *(f"{count:,}" for count in counts)])
    if rows:
        titles = ("new", "changed", "known", "duplicates", "skipped")
        numbers = (Column(title, "number") for title in titles)
        print_table((Column("feed"), Column("outcome", "fixed"), *numbers), rows)
    for result in report.results:
        if result.problem:
            print_error(f"{result.feed.id}: {result.problem}")
    out.print(
        "Feeds: {answered} answered, {unchanged} had nothing new, {failed} failed. "
        "Articles: {added} added, {changed} changed.".format(**report.as_dict()),
        highlight=False,
    )


def _print_grouping(grouped: "RegroupResult") -> None:
    """Print what the grouping did. The topics are stored when this is printed."""
    out.print(
        f"Topics: {grouped.added:,} new, {grouped.changed:,} changed, {grouped.merged:,} merged. "
        f"The last 72 hours have {format_count(grouped.topics, 'topic')} "
        f"from {format_count(grouped.items - grouped.set_aside, 'article')}. "
        f"Left out, because they report no single event: {format_count(grouped.set_aside, 'article')}.",
        highlight=False,
    )


def _build_report_json(report: "FeedReport", grouped: "RegroupResult") -> dict[str, Any]:
    feeds = [
        {
            "id": result.feed.id,
            "outcome": result.outcome,
            "added": result.stored.added,
            "changed": result.stored.changed,
            "known": result.stored.known,
            "duplicates": result.stored.duplicates,
            "left_out": result.left_out,
            "problem": result.problem,
        }
        for result in report.results
    ]
    return {**report.as_dict(), "feeds": feeds, "grouping": asdict(grouped)}
