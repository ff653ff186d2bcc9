"""Registers, lists and revokes applications, the public OAuth clients that ask accounts for access."""

import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.auth.api_keys import format_optional_rfc3339, format_rfc3339
from backend.auth.display_names import validate_name
from backend.auth.oauth import redirect_uris as redirects
from backend.auth.oauth.grants import CHANGE_TOPIC, revoke_grants
from backend.auth.oauth.tables import apps, grants
from backend.errors import BadRequest, NotFound
from backend.store.database import Database, bump

CLIENT_ID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
ID_PREFIX = re.compile(r"[0-9A-Fa-f-]{4,36}")
MAX_REDIRECT_URIS = 20


@dataclass(frozen=True, slots=True)
class App:
    """An application. ``last_used_at`` is the last use of a token and may be half a minute behind.

    A ``first_party`` application belongs to this installation: it uses the sign-in session of the browser,
    so that a signed-in person does not enter the password again.
    """

    client_id: str
    name: str
    redirect_uris: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None
    first_party: bool = False
    last_used_at: datetime | None = None

    @property
    def state(self) -> Literal["active", "revoked"]:
        return "active" if self.revoked_at is None else "revoked"

    def to_json(self) -> dict[str, Any]:
        return {
            "client_id": self.client_id,
            "name": self.name,
            "redirect_uris": list(self.redirect_uris),
            "first_party": self.first_party,
            "state": self.state,
            "created_at": format_rfc3339(self.created_at),
            "last_used_at": format_optional_rfc3339(self.last_used_at),
            "revoked_at": format_optional_rfc3339(self.revoked_at),
        }


def create(
    database: Database, *, name: str, redirect_uris: Iterable[str], first_party: bool = False, now: datetime
) -> App:
    """Register an application. Raises :class:`BadRequest` for a bad name or redirect URI."""
    with database.write() as connection:
        return add(connection, name=name, redirect_uris=redirect_uris, first_party=first_party, now=now)


def add(
    connection: Connection,
    *,
    name: str,
    redirect_uris: Iterable[str],
    first_party: bool = False,
    now: datetime,
) -> App:
    """Register an application within a transaction; raises as :func:`create` does."""
    name, uris = validate_name(name, "an application"), tuple(dict.fromkeys(redirect_uris))
    if not 1 <= len(uris) <= MAX_REDIRECT_URIS:
        raise BadRequest(f"An application has 1 to {MAX_REDIRECT_URIS} redirect URIs.")
    for uri in uris:
        redirects.validate(uri)
        if first_party and not uri.startswith(("https://", "http://")):
            # RFC 8252 section 8.6: any program can claim a private scheme, so people must give consent.
            raise BadRequest(f"A first-party application has redirect URIs of http or https, unlike {uri}.")
    row = {
        "id": str(uuid.uuid4()),
        "name": name,
        "redirect_uris": " ".join(uris),
        "first_party": first_party,
        "created_at": now,
    }
    connection.execute(sa.insert(apps).values(row))
    return _build_app(connection.execute(sa.select(apps).where(apps.c.id == row["id"])).one())


def list_all(database: Database) -> list[App]:
    """List all applications, oldest first, with revoked ones."""
    used = (
        sa.select(grants.c.app_id, sa.func.max(grants.c.last_used_at).label("used"))
        .group_by(grants.c.app_id)
        .subquery()
    )
    query = (
        sa.select(apps, used.c.used)
        .outerjoin(used, used.c.app_id == apps.c.id)
        .order_by(apps.c.created_at, apps.c.id)
    )
    with database.read() as connection:
        return [_build_app(row, row.used) for row in connection.execute(query)]


def find(database: Database, client_id: str) -> App | None:
    """Find the application with this client_id; None if it is unknown or revoked."""
    with database.read() as connection:
        return find_active(connection, client_id)


def find_active(connection: Connection, client_id: str, *, locked: bool = False) -> App | None:
    """Do the same within a transaction; ``locked`` prevents a revocation until it ends."""
    if not CLIENT_ID.fullmatch(client_id):
        return None
    query = sa.select(apps).where(apps.c.id == client_id.lower(), apps.c.revoked_at.is_(None))
    row = connection.execute(query.with_for_update(read=True) if locked else query).one_or_none()
    return None if row is None else _build_app(row)


def revoke(database: Database, id_or_prefix: str, now: datetime) -> App:
    """Revoke the application and its grants; a repetition changes nothing.

    Raises :class:`NotFound` when no application matches and :class:`BadRequest` when several do.
    """
    prefix = id_or_prefix.strip().lower()
    if not ID_PREFIX.fullmatch(prefix):
        raise NotFound("No application has this id. 'chainproof apps list' shows the ids.")
    with database.write() as connection:
        rows = connection.execute(sa.select(apps.c.id).where(apps.c.id.startswith(prefix)).limit(2)).all()
        if not rows:
            raise NotFound("No application has this id. 'chainproof apps list' shows the ids.")
        if len(rows) > 1:
            raise BadRequest("Several applications have ids with this prefix. Give more characters.")
        is_this_app = apps.c.id == rows[0].id
        connection.execute(
            sa.update(apps).where(is_this_app, apps.c.revoked_at.is_(None)).values(revoked_at=now)
        )
        revoke_grants(connection, grants.c.app_id == rows[0].id, now)
        bump(connection, CHANGE_TOPIC)
        return _build_app(connection.execute(sa.select(apps).where(is_this_app)).one())


def _build_app(row: sa.Row[Any], last_used_at: datetime | None = None) -> App:
    return App(
        client_id=row.id,
        name=row.name,
        redirect_uris=tuple(row.redirect_uris.split(" ")),
        created_at=row.created_at,
        revoked_at=row.revoked_at,
        first_party=row.first_party,
        last_used_at=last_used_at,
    )
