"""Runs every check of ``chainproof doctor`` and collects the findings."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from backend import migrations
from backend.auth.oauth.doctor_checks import check_dashboard, check_sign_in
from backend.doctor import installation_checks as installation
from backend.errors import ServiceError
from backend.http.doctor_checks import check_rate_limit
from backend.language_model.doctor_checks import check_language_model
from backend.markets import doctor_checks as market_checks
from backend.runtime.check_result import CheckResult, CheckState
from backend.runtime.redaction import redact
from backend.settings import Settings
from backend.sources import doctor_checks as sources_checks
from backend.store.database import Database
from backend.timelines.profiles.doctor_checks import check_profiles
from backend.topics.feeds.doctor_checks import check_feeds
from backend.topics.generated_texts.doctor_checks import check_generated_texts
from backend.topics.posts.doctor_checks import check_x

Check = Callable[[], Iterable[CheckResult]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check. ``check`` is a stable name for programs; one check may have several findings."""

    check: str
    subject: str
    state: CheckState
    sentence: str

    def as_dict(self) -> dict[str, str]:
        return {
            "check": self.check,
            "subject": self.subject,
            "state": self.state,
            "sentence": self.sentence,
        }


def run_checks(settings: Settings, setting_errors: Sequence[str] = ()) -> list[Finding]:
    """Run every check, in the order in which a start depends on them. Creates and changes nothing.

    ``setting_errors`` describe the refused values in whose place ``settings`` has defaults.
    """
    findings: list[Finding] = []

    def run(check: str, subject: str, call: Check) -> None:
        findings.extend(_run_check(check, subject, call))

    now = datetime.now(UTC)
    service = installation.fetch_readiness(settings)
    run("settings", "Settings", lambda: installation.check_settings(settings, setting_errors))
    run("data_folder", "Data folder", lambda: installation.check_data_folder(settings))
    run("rules", "Rules", lambda: installation.check_rules(settings))
    run("dashboard", "Dashboard", lambda: [check_dashboard(settings)])
    run("dashboard", "Dashboard", lambda: installation.check_dashboard_port(settings))
    with _open_store(settings, run) as (database, holds_data):
        run("assets", "Assets", lambda: market_checks.check_assets(settings, database))
        if settings.mode != "sample":
            run(
                "providers",
                "Providers",
                lambda: market_checks.check_configured_providers(settings, database, now),
            )
        if holds_data:
            run("keys", "Keys", lambda: installation.check_keys(settings, database, now))
            run("figures", "Figures", lambda: market_checks.check_figures(settings, database, now))
            run("worker", "Worker", lambda: installation.check_worker(database, service, now))
            run("jobs", "Jobs", lambda: [sources_checks.check_jobs(database, now)])
            run("documents", "Documents", lambda: [sources_checks.check_documents(database)])
            run("sign_in", "Sign-in", lambda: [check_sign_in(settings, database)])
            run("feeds", "Feeds", lambda: check_feeds(settings, database, now=now))
            run("model", "Language model", lambda: [check_language_model(settings, database, now=now)])
            run("model_texts", "Model's texts", lambda: check_generated_texts(settings, database, now=now))
            run("x", "X", lambda: check_x(settings, database, now=now))
            run("profiles", "Profiles", lambda: check_profiles(settings, database))
    run("search", "Search engines", lambda: sources_checks.check_search_providers(settings))
    run("limits", "Limits", lambda: [check_rate_limit(settings)])
    run("traces", "Traces", lambda: installation.check_collector(settings))
    run("service", "Service", lambda: installation.check_service(settings, service))
    run("management", "Management port", lambda: installation.check_management_port(settings, service))
    return findings


def _run_check(check: str, subject: str, call: Check) -> Iterator[Finding]:
    """Run one check. An exception becomes a finding, so the other checks still run."""
    try:
        for result_subject, state, sentence in call():
            yield Finding(check, result_subject, state, redact(sentence))
    except ServiceError as error:
        yield Finding(check, subject, "fault", redact(error.detail))
    except OSError as error:
        prefix = f"{error.filename}: " if error.filename else ""
        yield Finding(check, subject, "fault", f"{prefix}{error.strerror or type(error).__name__}.")
    except sa.exc.DBAPIError as error:
        reason = " ".join(str(error.orig).split()).rstrip(".?")
        yield Finding(check, subject, "fault", redact(f"The store cannot be read for this check: {reason}."))
    except Exception as error:  # noqa: BLE001 - the other checks run after any exception
        sentence = f"This check failed unexpectedly ({type(error).__name__}), so its result is unknown."
        yield Finding(check, subject, "fault", sentence)


@contextmanager
def _open_store(
    settings: Settings, run: Callable[[str, str, Check], None]
) -> Iterator[tuple[Database, bool]]:
    """Check the store and open it; the flag says whether checks can query its content.

    If the store is unusable, an empty one in a temporary folder replaces it, so that assets and providers
    are still checked. For a store that does not exist yet, the empty one also answers queries correctly.
    """
    opened: list[Database] = []
    states: list[CheckState] = []

    def check() -> Iterator[CheckResult]:
        result, database = installation.check_store(settings)
        if database is not None:
            opened.append(database)
        yield result
        states.append(result.state)

    run("store", "Store", check)
    if opened:
        try:
            yield opened[0], True
        finally:
            opened[0].dispose()
        return
    is_new = states == ["note"] and settings.is_sqlite and not settings.app_database_file.exists()
    with TemporaryDirectory(prefix="chainproof-doctor-") as folder:
        url = f"sqlite:///{Path(folder) / 'empty.db'}"
        migrations.upgrade(url)
        empty = Database(url)
        try:
            yield empty, is_new
        finally:
            empty.dispose()
