"""Data classes of API keys: stored ones without the secret, and new ones with the secret."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast

import sqlalchemy as sa

from backend.auth.principal import Scope


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A stored API key without its secret. Times are aware and in UTC."""

    id: str
    name: str
    kind: Literal["api", "terminal"]
    """``terminal`` keys only read the media of topics, in a header of their own."""
    env: str
    """Label of the environment that the key belongs to, such as ``local``; part of the key."""
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    @classmethod
    def from_row(cls, row: sa.Row[Any]) -> "KeyInfo":
        return cls(
            id=row.id,
            name=row.name,
            kind=row.kind,
            env=row.env,
            scopes=cast(tuple[Scope, ...], tuple(row.scopes.split())),
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
            revoked_at=row.revoked_at,
        )

    def state(self, now: datetime) -> Literal["active", "expired", "revoked"]:
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= now:
            return "expired"
        return "active"

    def to_json(self, now: datetime) -> dict[str, Any]:
        """Return the object that ``chainproof keys`` prints with ``--json``; times are in RFC 3339."""
        return {
            "id": self.id,
            "name": self.name,
            "kind": self.kind,
            "env": self.env,
            "scopes": list(self.scopes),
            "state": self.state(now),
            "created_at": format_rfc3339(self.created_at),
            "expires_at": format_optional_rfc3339(self.expires_at),
            "last_used_at": format_optional_rfc3339(self.last_used_at),
            "revoked_at": format_optional_rfc3339(self.revoked_at),
        }


@dataclass(frozen=True, slots=True)
class CreatedKey:
    """A new API key with its secret, which is not stored and cannot be shown again."""

    info: KeyInfo
    key: str = field(repr=False)

    def to_json(self, now: datetime) -> dict[str, Any]:
        fields = self.info.to_json(now)
        return {"id": fields.pop("id"), "key": self.key, **fields}


def format_rfc3339(moment: datetime) -> str:
    """Format ``moment``, which must be in UTC, to the second."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def format_optional_rfc3339(moment: datetime | None) -> str | None:
    return None if moment is None else format_rfc3339(moment)
