"""document search"""

import sqlalchemy as sa
from alembic import op

import backend.store.database

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "document_archives",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("stored_at", backend.store.database.UtcTime(length=27), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_document_archives")),
    )
    op.create_table(
        "document_terms",
        sa.Column("document_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version", sa.SmallInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_document_terms")),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name=op.f("fk_document_terms_document_id_documents"),
            ondelete="CASCADE",
        ),
    )
    with op.batch_alter_table("document_terms", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_document_terms_version_length"), ["version", "length"], unique=False
        )
    statements = SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRESQL
    for statement in statements:
        op.execute(statement)


# An ordinary FTS5 table, which keeps the text of the terms. One without (content='') would be smaller, but
# before SQLite 3.43 it can only forget a document when told the very terms that it was given, and the
# option that lifts this makes a file that an older SQLite cannot open. Like this a deletion needs the
# number alone, so that a trigger can see to it whoever deletes a document.
#
# detail=full (the default): the other two do not count how often a term occurs, and rank by chance.
# The terms are cut before they come here: tokenize=ascii parts them at the spaces alone, since all
# characters beyond ASCII are part of a term there, as the dot of a figure and the colon of a filter are.
SQLITE = (
    """
    CREATE VIRTUAL TABLE document_search USING fts5(terms, tokenize = "ascii tokenchars '.:'")
    """,
    "CREATE VIRTUAL TABLE document_search_terms USING fts5vocab('document_search', 'row')",
    """
    CREATE TRIGGER document_search_forgets AFTER DELETE ON documents
    BEGIN
        DELETE FROM document_search WHERE rowid = old.id;
    END
    """,
)

# Counting and filtering go over many rows and never read a vector, so that vectors belong out of line. But
# PostgreSQL moves values out only of rows beyond 2 kB: hence the padding, which compresses to nothing. It
# makes the table a tenth as large to go over, and a search several times as quick.
# Without fastupdate the index holds no pending list, over which every search would go after an import.
POSTGRESQL = (
    """
    CREATE TABLE document_search (
        document_id bigint CONSTRAINT pk_document_search PRIMARY KEY
            CONSTRAINT fk_document_search_document_id_documents REFERENCES documents ON DELETE CASCADE,
        length integer NOT NULL,
        terms tsvector NOT NULL,
        padding text NOT NULL DEFAULT repeat(' ', 2000)
    ) WITH (toast_tuple_target = 128)
    """,
    "CREATE INDEX document_search_terms ON document_search USING gin (terms) WITH (fastupdate = off)",
)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER document_search_forgets")
        op.execute("DROP TABLE document_search_terms")
    op.execute("DROP TABLE document_search")
    op.drop_table("document_terms")
    op.drop_table("document_archives")
