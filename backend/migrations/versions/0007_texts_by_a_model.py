"""texts that a model words, and the condition and the ceiling of models"""

import sqlalchemy as sa
from alembic import op

import backend.db

revision = "0007"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_conditions",
        sa.Column("endpoint", sa.String(length=64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", backend.db.UtcTime(length=27), nullable=True),
        sa.Column("quiet_until", backend.db.UtcTime(length=27), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("answered_at", backend.db.UtcTime(length=27), nullable=True),
        sa.PrimaryKeyConstraint("endpoint", name=op.f("pk_model_conditions")),
    )
    with op.batch_alter_table("model_use", schema=None) as batch_op:
        batch_op.add_column(sa.Column("refused_at", backend.db.UtcTime(length=27), nullable=True))
        batch_op.add_column(sa.Column("refused_under", backend.db.ExactDecimal(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("model_use", schema=None) as batch_op:
        batch_op.drop_column("refused_under")
        batch_op.drop_column("refused_at")
    op.drop_table("model_conditions")
