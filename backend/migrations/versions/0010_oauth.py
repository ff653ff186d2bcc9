"""oauth"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = backend.store.database.UtcTime(length=27)
    big_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "oauth_apps",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("redirect_uris", sa.Text(), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("revoked_at", instant, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_apps")),
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("username", sa.String(length=64), nullable=False),
        sa.Column("username_key", sa.String(length=256), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=False),
        sa.Column("scopes", sa.String(length=64), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("last_sign_in_at", instant, nullable=True),
        sa.Column("disabled_at", instant, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("username_key", name=op.f("uq_accounts_username_key")),
    )
    op.create_table(
        "oauth_grants",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("app_id", sa.String(length=36), nullable=False),
        sa.Column("account_id", sa.String(length=36), nullable=False),
        sa.Column("scopes", sa.String(length=64), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("expires_at", instant, nullable=False),
        sa.Column("last_used_at", instant, nullable=True),
        sa.Column("revoked_at", instant, nullable=True),
        sa.Column("code_digest", sa.String(length=64), nullable=False),
        sa.Column("code_challenge", sa.String(length=43), nullable=False),
        sa.Column("code_expires_at", instant, nullable=False),
        sa.Column("code_used_at", instant, nullable=True),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["app_id"], ["oauth_apps.id"], name=op.f("fk_oauth_grants_app_id_oauth_apps")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_oauth_grants_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_grants")),
        sa.UniqueConstraint("code_digest", name=op.f("uq_oauth_grants_code_digest")),
    )
    op.create_table(
        "oauth_tokens",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("grant_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("scopes", sa.String(length=64), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("expires_at", instant, nullable=False),
        sa.Column("rotated_at", instant, nullable=True),
        sa.Column("revoked_at", instant, nullable=True),
        sa.CheckConstraint("kind IN ('access', 'refresh')", name=op.f("ck_oauth_tokens_kind")),
        sa.ForeignKeyConstraint(
            ["grant_id"],
            ["oauth_grants.id"],
            name=op.f("fk_oauth_tokens_grant_id_oauth_grants"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_oauth_tokens")),
    )
    op.create_table(
        "sign_in_guesses",
        sa.Column("id", big_id, autoincrement=True, nullable=False),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("at", instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_guesses")),
    )
    for table, columns in (
        ("oauth_grants", ["app_id"]),
        ("oauth_grants", ["account_id"]),
        ("oauth_grants", ["expires_at"]),
        ("oauth_tokens", ["grant_id"]),
        ("oauth_tokens", ["expires_at"]),
        ("sign_in_guesses", ["at"]),
    ):
        op.create_index(op.f(f"ix_{table}_{columns[0]}"), table, columns, unique=False)
    op.create_index("ix_sign_in_guesses_subject", "sign_in_guesses", ["subject", "at"], unique=False)


def downgrade() -> None:
    for table in ("sign_in_guesses", "oauth_tokens", "oauth_grants", "accounts", "oauth_apps"):
        op.drop_table(table)
