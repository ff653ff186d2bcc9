"""``chainproof doctor``: runs every check and tells its findings in words."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from backend import migrations
from backend.auth.oauth import dashboard_app
from backend.auth.oauth import doctor_checks as sign_in_checkup
from backend.doctor import installation_checks as installation
from backend.doctor.installation_checks import State
from backend.errors import ServiceError
from backend.http.doctor_checks import checkup as limits_checkup
from backend.language_model.doctor_checks import check_language_model as check_language_model
from backend.markets import configuration
from backend.markets.aggregation.freshness import restale
from backend.markets.configuration import Market
from backend.markets.doctor_checks import check_providers
from backend.markets.provider_state import load_states
from backend.markets.reasons import words
from backend.markets.responses import queries
from backend.runtime.redaction import redact
from backend.settings import Settings
from backend.sources import doctor_checks as sources_checks
from backend.store.database import Database
from backend.timelines.profiles.doctor_checks import checkup as timelines_checkup
from backend.topics.feeds.doctor_checks import checkup as feeds_checkup
from backend.topics.generated_texts.doctor_checks import checkup as texts_checkup
from backend.topics.posts.doctor_checks import checkup as posts_checkup

Noted = tuple[str, State, str]
"""Subject, state, sentence: what each check gives."""
FEW = 0.9
"""With less than this share of assets that have a quote, something is wrong that an operator should know."""


@dataclass(frozen=True, slots=True)
class Finding:
    """``fault``: something does not work. ``note``: it works, but the operator should know.

    ``check`` is a stable name for programs; one check may have several findings.
    """

    check: str
    subject: str
    state: State
    sentence: str

    def as_dict(self) -> dict[str, str]:
        return {
            "check": self.check,
            "subject": self.subject,
            "state": self.state,
            "sentence": self.sentence,
        }


def examine(settings: Settings, mistakes: Sequence[str] = ()) -> list[Finding]:
    """Every finding, in the order in which a start depends on them. Creates and changes nothing.

    ``mistakes`` are those of values in whose place ``settings`` has defaults.
    """
    found: list[Finding] = []

    def run(check: str, subject: str, call: Callable[[], Iterable[Noted]]) -> None:
        found.extend(_guarded(check, subject, call))

    now = datetime.now(UTC)
    service = installation.ask_service(settings)
    run("settings", "Settings", lambda: installation.check_settings(settings, mistakes))
    run("data_folder", "Data folder", lambda: installation.check_home(settings))
    run("rules", "Rules", lambda: installation.check_rules(settings))
    run("dashboard", "Dashboard", lambda: [("Dashboard", *dashboard_app.checkup(settings))])
    with _store(settings, run) as (database, holds_data):
        run("assets", "Assets", lambda: _assets(settings, database))
        if settings.mode == "live":
            run("providers", "Providers", lambda: _providers(settings, database, now))
        if holds_data:
            run("keys", "Keys", lambda: installation.check_keys(settings, database, now))
            run("figures", "Figures", lambda: _figures(settings, database, now))
            run("worker", "Worker", lambda: installation.check_worker(database, service, now))
            run("jobs", "Jobs", lambda: [sources_checks.check_jobs(database, now)])
            run("documents", "Documents", lambda: [sources_checks.check_documents(database)])
            run("sign_in", "Sign-in", lambda: [("Sign-in", *sign_in_checkup.checkup(settings, database))])
            run("feeds", "Feeds", lambda: feeds_checkup(settings, database, now=now))
            run("model", "Language model", lambda: [check_language_model(settings, database, now=now)])
            run("model_texts", "Model's texts", lambda: texts_checkup(settings, database, now=now))
            run("x", "X", lambda: posts_checkup(settings, database, now=now))
            run("profiles", "Profiles", lambda: timelines_checkup(settings, database))
    run("search", "Search engines", lambda: sources_checks.check_search_providers(settings))
    run("limits", "Limits", lambda: [limits_checkup(settings)])
    run("service", "Service", lambda: installation.check_service(settings, service))
    run("management", "Management port", lambda: installation.check_management(settings, service))
    return found


def _guarded(check: str, subject: str, call: Callable[[], Iterable[Noted]]) -> Iterator[Finding]:
    """The findings of one check. What it raises is a finding too, and ends no other check."""
    try:
        for name, state, sentence in call():
            yield Finding(check, name, state, redact(sentence))
    except ServiceError as error:
        yield Finding(check, subject, "fault", redact(error.detail))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        yield Finding(check, subject, "fault", f"{where}{error.strerror or type(error).__name__}.")
    except sa.exc.DBAPIError as error:
        reason = " ".join(str(error.orig).split()).rstrip(".?")
        yield Finding(check, subject, "fault", redact(f"The store cannot be read for this check: {reason}."))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other checks are told all the same
        told = f"This check ended unexpectedly ({type(error).__name__}), so nothing is known of it."
        yield Finding(check, subject, "fault", told)


@contextmanager
def _store(
    settings: Settings, run: Callable[[str, str, Callable[[], Iterable[Noted]]], None]
) -> Iterator[tuple[Database, bool]]:
    """The store, and whether it can be asked what it holds.

    Where there is no usable store an empty one takes its place, in a temporary folder, so that assets and
    providers are checked all the same. One that merely does not exist yet holds nothing, which is true of it.
    """
    opened: list[Database] = []

    def check() -> Iterator[Noted]:
        noted, database = installation.open_store(settings)
        if database is not None:
            opened.append(database)
        yield noted
        states.append(noted.state)

    states: list[State] = []
    run("store", "Store", check)
    if opened:
        try:
            yield opened[0], True
        finally:
            opened[0].dispose()
        return
    is_new = states == ["note"] and settings.is_sqlite and not (settings.home / "chainproof.db").exists()
    with TemporaryDirectory(prefix="chainproof-doctor-") as folder:
        url = f"sqlite:///{Path(folder) / 'chainproof.db'}"
        migrations.upgrade(url)
        empty = Database(url)
        try:
            yield empty, is_new
        finally:
            empty.dispose()


@contextmanager
def _market(settings: Settings, database: Database) -> Iterator[Market]:
    market = configuration.prepare(settings, database)
    try:
        yield market
    finally:
        market.close()


def _assets(settings: Settings, database: Database) -> Iterator[Noted]:
    try:
        with _market(settings, database) as market:
            with_file = f", with {settings.user_assets_file}" if settings.user_assets_file.exists() else ""
            enabled = f"{len(market.book.enabled)} enabled of {len(market.book)}"
            yield "Assets", "ok", f"{enabled}{with_file}."
    except ValueError as error:
        yield "Assets", "fault", str(error)


def _providers(settings: Settings, database: Database, now: datetime) -> Iterator[Noted]:
    try:
        with _market(settings, database) as market:
            yield from check_providers(market, database, now)
    except ValueError:  # told of the assets
        return


def _figures(settings: Settings, database: Database, now: datetime) -> Iterator[Noted]:
    """How many of the enabled assets have a quote, and when the figures were last refreshed."""
    try:
        with _market(settings, database) as market:
            yield _coverage(market, database, now)
    except ValueError:  # told of the assets
        return


def _coverage(market: Market, database: Database, now: datetime) -> Noted:
    with database.read() as connection:
        states = load_states(connection, market)
    last = max((state.last_success for state in states.values() if state.last_success), default=None)
    if last is None:
        return "Figures", "note", "None stored yet; 'chainproof up' or 'chainproof worker' fetches them."
    ids = [asset.id for asset in market.book.enabled]
    stored = queries.load(database, market.sources.realm, (), now).figures
    known = [restale(stored[one], now, market.policy) for one in ids if one in stored]
    quoted = [figure for figure in known if figure.price is not None]
    stale = sum(figure.stale for figure in quoted)
    told = f"{len(quoted)} of {len(ids)} {'asset has' if len(ids) == 1 else 'assets have'} a quote"
    old = f", {stale} of them stale" if stale else ""
    sentence = f"{told}{old}; last refreshed {words(now - last)} ago."
    fresh = len(quoted) - stale
    if 2 * fresh < len(ids):
        return "Figures", "fault", sentence
    return "Figures", "ok" if fresh >= FEW * len(ids) else "note", sentence
