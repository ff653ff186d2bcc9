"""initial schema"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("env", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.String(length=64), nullable=False),
        sa.Column("created_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("expires_at", backend.store.database.UtcTime(length=27), nullable=True),
        sa.Column("last_used_at", backend.store.database.UtcTime(length=27), nullable=True),
        sa.Column("revoked_at", backend.store.database.UtcTime(length=27), nullable=True),
        sa.CheckConstraint("kind IN ('api', 'terminal')", name=op.f("ck_api_keys_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_keys_digest")),
    )
    op.create_table(
        "asset_icons",
        sa.Column("asset_id", sa.String(length=128), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("content_type", sa.String(length=64), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("tried_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("asset_id", name=op.f("pk_asset_icons")),
    )
    op.create_table(
        "candle_strips",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("asset_id", sa.String(length=128), nullable=False),
        sa.Column("span", sa.String(length=8), nullable=False),
        sa.Column("basis", sa.String(length=16), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("as_of", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("realm", "asset_id", "span", "basis", name=op.f("pk_candle_strips")),
    )
    op.create_table(
        "candles",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("asset_id", sa.String(length=128), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("open_time", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("open", backend.store.database.ExactDecimal(), nullable=False),
        sa.Column("high", backend.store.database.ExactDecimal(), nullable=False),
        sa.Column("low", backend.store.database.ExactDecimal(), nullable=False),
        sa.Column("close", backend.store.database.ExactDecimal(), nullable=False),
        sa.Column("volume", backend.store.database.ExactDecimal(), nullable=True),
        sa.PrimaryKeyConstraint("realm", "asset_id", "seconds", "open_time", name=op.f("pk_candles")),
    )
    op.create_table(
        "change_counters",
        sa.Column("topic", sa.String(length=64), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("topic", name=op.f("pk_change_counters")),
    )
    op.create_table(
        "incidents",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("asset_id", sa.String(length=128), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("opened_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("closed_at", backend.store.database.UtcTime(length=27), nullable=True),
        sa.Column("worst_pct", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_incidents")),
    )
    with op.batch_alter_table("incidents", schema=None) as batch_op:
        batch_op.create_index(
            "ix_incidents_realm_asset_id_opened_at", ["realm", "asset_id", "opened_at"], unique=False
        )

    op.create_table(
        "market_figures",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("as_of", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("realm", "kind", "provider", name=op.f("pk_market_figures")),
    )
    op.create_table(
        "price_points",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("asset_id", sa.String(length=128), nullable=False),
        sa.Column("at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("price", backend.store.database.ExactDecimal(), nullable=False),
        sa.Column("spread_pct", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("realm", "asset_id", "at", name=op.f("pk_price_points")),
    )
    op.create_table(
        "provider_ids",
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("external_id", sa.String(length=128), nullable=False),
        sa.Column("resolved_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.PrimaryKeyConstraint("provider", "name", name=op.f("pk_provider_ids")),
    )
    op.create_table(
        "provider_quotes",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("asset_id", sa.String(length=128), nullable=False),
        sa.Column("external_id", sa.String(length=128), nullable=False),
        sa.Column("price", backend.store.database.ExactDecimal(), nullable=False),
        sa.Column("as_of", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("received_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.Column("market_cap", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("market_cap_rank", sa.Integer(), nullable=True),
        sa.Column("volume_24h", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_1h", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_24h", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_7d", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_30d", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("ath", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("ath_change_percentage", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("ath_date", backend.store.database.UtcTime(length=27), nullable=True),
        sa.PrimaryKeyConstraint("realm", "provider", "asset_id", name=op.f("pk_provider_quotes")),
    )
    op.create_table(
        "provider_states",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("realm", "provider", name=op.f("pk_provider_states")),
    )
    op.create_table(
        "published_figures",
        sa.Column("realm", sa.String(length=32), nullable=False),
        sa.Column("asset_id", sa.String(length=128), nullable=False),
        sa.Column("price", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("providers", sa.String(length=128), nullable=False),
        sa.Column("stale", sa.Boolean(), nullable=False),
        sa.Column("last_updated", backend.store.database.UtcTime(length=27), nullable=True),
        sa.Column("rule", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("flags", sa.String(length=128), nullable=False),
        sa.Column("spread_pct", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("market_cap", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("market_cap_rank", sa.Integer(), nullable=True),
        sa.Column("volume_24h", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_1h", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_24h", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_7d", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("pct_change_30d", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("ath", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("ath_change_percentage", backend.store.database.ExactDecimal(), nullable=True),
        sa.Column("ath_date", backend.store.database.UtcTime(length=27), nullable=True),
        sa.Column("judgements", sa.Text(), nullable=False),
        sa.Column("memory", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("realm", "asset_id", name=op.f("pk_published_figures")),
    )


def downgrade() -> None:
    op.drop_table("published_figures")
    op.drop_table("provider_states")
    op.drop_table("provider_quotes")
    op.drop_table("provider_ids")
    op.drop_table("price_points")
    op.drop_table("market_figures")
    with op.batch_alter_table("incidents", schema=None) as batch_op:
        batch_op.drop_index("ix_incidents_realm_asset_id_opened_at")

    op.drop_table("incidents")
    op.drop_table("change_counters")
    op.drop_table("candles")
    op.drop_table("candle_strips")
    op.drop_table("asset_icons")
    op.drop_table("api_keys")
