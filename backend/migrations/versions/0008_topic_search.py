"""topic search"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("topic_texts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("indexed", sa.SmallInteger(), nullable=True))
        batch_op.create_index(batch_op.f("ix_topic_texts_indexed"), ["indexed"], unique=False)
    with op.batch_alter_table("topic_media", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_topic_media_url_key"), ["url_key"], unique=False)
    statements = SQLITE if op.get_bind().dialect.name == "sqlite" else POSTGRESQL
    for statement in statements:
        op.execute(statement)


# As the index of documents (0004), but for what the topics do not need: they are never ranked by how often a
# term occurs, so that detail=none does, which is a third of the size. The number of a text is that of its
# topic times four and that of its language: see backend/topics/store/search_index.py. The hyphen is part of a
# term for the sake of the ids of entities.
SQLITE = (
    """
    CREATE VIRTUAL TABLE topic_search
        USING fts5(terms, detail = none, columnsize = 0, tokenize = "ascii tokenchars '.:-'")
    """,
    """
    CREATE TRIGGER topic_search_forgets AFTER DELETE ON topic_texts
    BEGIN
        DELETE FROM topic_search WHERE rowid = old.topic_id * 4
            + CASE old.language WHEN 'en' THEN 0 WHEN 'ja' THEN 1 ELSE 2 END;
    END
    """,
)
POSTGRESQL = (
    """
    CREATE TABLE topic_search (
        topic_id bigint NOT NULL,
        language varchar(8) NOT NULL,
        terms tsvector NOT NULL,
        CONSTRAINT pk_topic_search PRIMARY KEY (topic_id, language),
        CONSTRAINT fk_topic_search_topic_id_topic_texts FOREIGN KEY (topic_id, language)
            REFERENCES topic_texts ON DELETE CASCADE
    )
    """,
    "CREATE INDEX topic_search_terms ON topic_search USING gin (terms) WITH (fastupdate = off)",
)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER topic_search_forgets")
    op.execute("DROP TABLE topic_search")
    with op.batch_alter_table("topic_media", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_topic_media_url_key"))
    with op.batch_alter_table("topic_texts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_topic_texts_indexed"))
        batch_op.drop_column("indexed")
