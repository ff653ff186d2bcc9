"""sign-in sessions"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = backend.store.database.UtcTime(length=27)
    op.create_table(
        "sign_in_sessions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account_id", sa.String(length=36), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("last_used_at", instant, nullable=False),
        sa.Column("expires_at", instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_sign_in_sessions_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in_sessions")),
        sa.UniqueConstraint("digest", name=op.f("uq_sign_in_sessions_digest")),
    )
    for column in ("account_id", "expires_at"):
        op.create_index(op.f(f"ix_sign_in_sessions_{column}"), "sign_in_sessions", [column], unique=False)
    op.add_column("oauth_grants", sa.Column("session_id", sa.String(length=36), nullable=True))
    op.create_index(op.f("ix_oauth_grants_session_id"), "oauth_grants", ["session_id"], unique=False)
    op.add_column(
        "oauth_apps", sa.Column("first_party", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    apps = sa.table(
        "oauth_apps",
        sa.column("name", sa.Text),
        sa.column("redirect_uris", sa.Text),
        sa.column("first_party", sa.Boolean),
    )
    # As the service registers a dashboard, and as the guide to signing in says to do by hand.
    is_dashboard = sa.and_(
        apps.c.name == "Chainproof dashboard",
        apps.c.redirect_uris.like("http%/sign-in/callback"),
        apps.c.redirect_uris.not_like("% %"),
    )
    op.execute(sa.update(apps).where(is_dashboard).values(first_party=True))


def downgrade() -> None:
    op.drop_column("oauth_apps", "first_party")
    op.drop_index(op.f("ix_oauth_grants_session_id"), "oauth_grants")
    op.drop_column("oauth_grants", "session_id")
    op.drop_table("sign_in_sessions")
