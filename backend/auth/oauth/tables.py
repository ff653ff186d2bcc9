"""Defines the tables of applications, accounts, sessions, grants and tokens.

Of codes and tokens only the digests are stored. A grant is one consent: one account lets one application
act with some scopes. Its code, access tokens and refresh tokens are one family, which is revoked as one.
"""

import sqlalchemy as sa

from backend.store.database import BIG_ID, UtcTime, metadata

apps = sa.Table(
    "oauth_apps",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("redirect_uris", sa.Text, nullable=False),
    sa.Column("first_party", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("revoked_at", UtcTime),
)
"""``id`` is the client_id; ``redirect_uris`` are separated by single spaces, which no URI can contain.
``first_party`` applications, such as the dashboard, use the sessions of the sign-in page."""

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("username", sa.String(64), nullable=False),
    sa.Column("username_key", sa.String(256), nullable=False, unique=True),
    sa.Column("password_hash", sa.String(255), nullable=False),
    sa.Column("scopes", sa.String(64), nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("last_sign_in_at", UtcTime),
    sa.Column("disabled_at", UtcTime),
)
"""``username_key`` is the normalised name for comparisons; ``scopes`` are those the account may grant."""

sign_in_sessions = sa.Table(
    "sign_in_sessions",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),
    sa.Column("account_id", sa.String(36), sa.ForeignKey(accounts.c.id), nullable=False),
    sa.Column("browser", sa.String(64), nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("last_used_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Index(None, "account_id"),
    sa.Index(None, "expires_at"),
)
"""Browsers that are signed in at the sign-in page. ``digest`` is the digest of the cookie's secret."""

grants = sa.Table(
    "oauth_grants",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("app_id", sa.String(36), sa.ForeignKey(apps.c.id), nullable=False),
    sa.Column("account_id", sa.String(36), sa.ForeignKey(accounts.c.id), nullable=False),
    sa.Column("scopes", sa.String(64), nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Column("last_used_at", UtcTime),
    sa.Column("revoked_at", UtcTime),
    sa.Column("code_digest", sa.String(64), nullable=False, unique=True),
    sa.Column("code_challenge", sa.String(43), nullable=False),
    sa.Column("code_expires_at", UtcTime, nullable=False),
    sa.Column("code_used_at", UtcTime),
    sa.Column("redirect_uri", sa.Text, nullable=False),
    sa.Column("session_id", sa.String(36)),
    sa.Index(None, "app_id"),
    sa.Index(None, "account_id"),
    sa.Index(None, "session_id"),
    sa.Index(None, "expires_at"),
)
"""``expires_at`` is when the last code or token of the grant expires. ``session_id`` is the sign-in session
with which the grant ends. It is kept after the session is deleted, and null for third parties."""

tokens = sa.Table(
    "oauth_tokens",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("grant_id", sa.String(36), sa.ForeignKey(grants.c.id, ondelete="CASCADE"), nullable=False),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("scopes", sa.String(64), nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("expires_at", UtcTime, nullable=False),
    sa.Column("rotated_at", UtcTime),
    sa.Column("revoked_at", UtcTime),
    sa.CheckConstraint("kind IN ('access', 'refresh')", name="kind"),
    sa.Index(None, "grant_id"),
    sa.Index(None, "expires_at"),
)
"""``rotated_at`` is when a refresh token was used; it can be used once."""

guesses = sa.Table(
    "sign_in_guesses",
    metadata,
    sa.Column("id", BIG_ID, primary_key=True, autoincrement=True),
    sa.Column("subject", sa.String(64), nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Index("ix_sign_in_guesses_subject", "subject", "at"),
    sa.Index(None, "at"),
)
"""Sign-in attempts of the last minute. ``subject`` is a digest of the account's name or of the address."""
