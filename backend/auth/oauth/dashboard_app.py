"""Registers the dashboard as an OAuth application, so that people can sign in to it.

A file in the data folder, beside the local key, holds the client_id for the dashboard on this machine. A
dashboard on another machine is registered with ``chainproof apps create`` and gets the id by its settings.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection

from backend.auth import local_key_file
from backend.auth.oauth import apps, redirect_uris
from backend.auth.oauth.tables import apps as table
from backend.errors import BadRequest
from backend.store.database import Database

NAME = "Chainproof dashboard"
REGISTRATION_LOCK_ID = 0x43_50_44_42  # "CPDB": an advisory lock number that nothing else uses
log = structlog.get_logger(__name__)


def ensure_registered(database: Database, file: Path, redirect_uri: str, now: datetime) -> None:
    """Ensure that ``file`` names an application with the redirect URI ``redirect_uri``.

    Reuses an application with this name and redirect URI. Does not replace a revoked application that the
    file names. Several processes may start at once: one registers under the store's lock, the others find
    the application. Logs a ``redirect_uri`` that cannot be registered; nobody can sign in until it changes.
    """
    try:
        redirect_uris.validate(redirect_uri)
    except BadRequest as refusal:
        log.warning("dashboard_not_registered", redirect_uri=redirect_uri, reason=refusal.detail)
        return
    with database.read() as connection:
        registered_app = _find_named(connection, file, redirect_uri)
        if registered_app is not None and registered_app.first_party:
            return
    with database.write() as connection:  # on SQLite BEGIN IMMEDIATE is the lock
        if not database.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(REGISTRATION_LOCK_ID)))
        registered_app = _find_named(connection, file, redirect_uri)
        if registered_app is not None:
            _set_first_party(connection, registered_app.id)
            return
        same_app_query = sa.select(table.c.id).where(
            table.c.name == NAME, table.c.redirect_uris == redirect_uri, table.c.revoked_at.is_(None)
        )
        client_id = connection.execute(
            same_app_query.order_by(table.c.created_at).limit(1)
        ).scalar_one_or_none()
        if client_id is None:
            client_id = apps.add(connection, name=NAME, redirect_uris=[redirect_uri], now=now).client_id
        _set_first_party(connection, client_id)
        local_key_file.write(file, json.dumps({"client_id": client_id, "redirect_uri": redirect_uri}))


def _find_named(connection: Connection, file: Path, redirect_uri: str) -> sa.Row[Any] | None:
    """Find the application that ``file`` names for this redirect URI, even if it is revoked."""
    try:
        content = json.loads(local_key_file.read(file) or "null")
        client_id, registered = content["client_id"], content["redirect_uri"]
    except (ValueError, TypeError, KeyError):
        return None
    if registered != redirect_uri or not isinstance(client_id, str):
        return None
    return connection.execute(sa.select(table).where(table.c.id == client_id)).one_or_none()


def _set_first_party(connection: Connection, client_id: str) -> None:
    """Mark the application as first-party: older versions registered the dashboard without that."""
    connection.execute(sa.update(table).where(table.c.id == client_id).values(first_party=True))
