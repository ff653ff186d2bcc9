"""``chainproof doctor``: settings, store, keys and providers, checked and told in words."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import httpx
import sqlalchemy as sa

from backend import extras, migrations
from backend.articles.rules.loading import user_files
from backend.articles.rules.ruleset import Rules
from backend.asgi.checkup import checkup as limits_checkup
from backend.auth import dashboard, keyformat
from backend.auth import service as auth_service
from backend.auth.oauth import checkup as sign_in_checkup
from backend.data_folder import config_file
from backend.db import Database
from backend.language_model.checkup import checkup as model_checkup
from backend.markets import setup
from backend.markets.doctor_checks import check_providers
from backend.markets.provider_state import load_states
from backend.markets.reasons import words
from backend.markets.setup import Market
from backend.redaction import redact
from backend.settings import Settings
from backend.sources.checkup import checkup
from backend.timelines.checkup import checkup as timelines_checkup
from backend.topics.checkup import checkup as feeds_checkup
from backend.topics.model_texts.checkup import checkup as texts_checkup
from backend.topics.posts.checkup import checkup as posts_checkup

State = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """``fault``: something does not work. ``note``: it works, but the operator should know."""

    subject: str
    state: State
    sentence: str

    def as_dict(self) -> dict[str, str]:
        return {"subject": self.subject, "state": self.state, "sentence": self.sentence}


def examine(settings: Settings) -> list[Finding]:
    """Every finding, in the order in which a start depends on them."""
    found = [_settings(settings), _home(settings), _rules(settings)]
    found.append(Finding("Dashboard", *dashboard.checkup(settings)))
    database = Database(settings.app_database_url)
    try:
        store = _store(settings, database)
        found.append(store)
        if store.state != "fault":
            found.append(_keys(settings, database))
            found += _markets(settings, database)
            if migrations.is_current(database):
                now = datetime.now(UTC)
                found.append(Finding("Sign-in", *sign_in_checkup.checkup(settings, database)))
                found += [Finding(*noted) for noted in checkup(settings, database, now=now)]
                found.append(Finding(*model_checkup(settings, database, now=now)))
                found += [Finding(*noted) for noted in feeds_checkup(settings, database, now=now)]
                found += [Finding(*noted) for noted in texts_checkup(settings, database, now=now)]
                found += [Finding(*noted) for noted in posts_checkup(settings, database, now=now)]
                found += [Finding(*noted) for noted in timelines_checkup(settings, database)]
        found.append(Finding(*limits_checkup(settings)))
        found.append(_service(settings))
    finally:
        database.dispose()
    return found


def _rules(settings: Settings) -> Finding:
    rules = Rules(settings)
    if rules.problem is not None:
        return Finding("Rules", "fault", f"Your own are refused, so those shipped serve: {rules.problem}")
    own = len(user_files(settings.user_rules_dir))
    files = f"and {own} of your own in {settings.user_rules_dir}" if own else "none of your own"
    return Finding(
        "Rules", "ok", f"{len(rules.current.rules)} rules, {len(rules.current.entities)} entities; {files}."
    )


def _settings(settings: Settings) -> Finding:
    if missing := extras.find_missing(settings):
        return Finding("Settings", "fault", missing)
    file = config_file()
    where = f"read from {file}" if file else "no chainproof.toml, so defaults"
    return Finding(
        "Settings", "ok", f"{where}; CHAINPROOF_* variables stand over them. Mode: {settings.data_in_words}."
    )


def _home(settings: Settings) -> Finding:
    home = settings.home
    if not home.exists():
        return Finding("Data folder", "note", f"{home} does not exist yet; the first start makes it.")
    if not os.access(home, os.W_OK):
        return Finding(
            "Data folder", "fault", f"{home} cannot be written. Set CHAINPROOF_HOME to a folder of yours."
        )
    return Finding("Data folder", "ok", f"{home} can be written.")


def _store(settings: Settings, database: Database) -> Finding:
    kind = "SQLite" if settings.is_sqlite else "PostgreSQL"
    try:
        database.ping()
        if migrations.is_current(database):
            return Finding("Store", "ok", f"{kind} answers and is at the newest schema.")
        return Finding("Store", "note", f"{kind} answers; 'chainproof migrate' or the next start updates it.")
    except (sa.exc.SQLAlchemyError, OSError) as error:
        reason = redact(str(getattr(error, "orig", error)))
        return Finding("Store", "fault", f"{kind} does not answer: {reason}")


def _keys(settings: Settings, database: Database) -> Finding:
    if not migrations.is_current(database):
        return Finding("Keys", "note", "None yet; the first start makes a local one.")
    now = datetime.now(UTC)
    active = [key for key in auth_service.list_keys(database) if key.state(now) == "active"]
    file = settings.local_key_file
    if not file.is_file():
        return Finding("Keys", "note", f"{len(active)} active. No local key file; the next start makes one.")
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        return Finding("Keys", "fault", f"{file} can be read by others. Run: chmod 600 {file}")
    if keyformat.parse(file.read_text("ascii", "replace").strip()) is None:
        return Finding("Keys", "fault", f"{file} holds no key. Delete it; the next start makes one.")
    return Finding("Keys", "ok", f"{len(active)} active; the local key is in place.")


def _markets(settings: Settings, database: Database) -> Iterator[Finding]:
    try:
        market = setup.prepare(settings, database)
    except ValueError as error:
        yield Finding("Assets", "fault", str(error))
        return
    with_file = f", with {settings.user_assets_file}" if settings.user_assets_file.exists() else ""
    yield Finding("Assets", "ok", f"{len(market.book.enabled)} enabled of {len(market.book)}{with_file}.")
    try:
        is_current = migrations.is_current(database)
        if settings.mode == "live":
            for noted in check_providers(market, database if is_current else None, datetime.now(UTC)):
                yield Finding(*noted)
        if is_current:
            yield _freshness(market, database)
    finally:
        market.close()


def _freshness(market: Market, database: Database) -> Finding:
    with database.read() as connection:
        states = load_states(connection, market)
    last = max((state.last_success for state in states.values() if state.last_success), default=None)
    if last is None:
        return Finding(
            "Figures", "note", "None stored yet; 'chainproof up' or 'chainproof worker' fetches them."
        )
    age = datetime.now(UTC) - last
    return Finding("Figures", "ok", f"last refreshed {words(age)} ago.")


def _service(settings: Settings) -> Finding:
    try:
        answer = httpx.get(f"{settings.api_url}/readyz", timeout=3, trust_env=False)
    except httpx.HTTPError:
        return Finding("Service", "note", f"not running at {settings.api_url}.")
    if answer.status_code == 200:
        return Finding("Service", "ok", f"running and ready at {settings.api_url}.")
    return Finding("Service", "fault", f"running at {settings.api_url}, but not ready: {answer.text[:200]}")
