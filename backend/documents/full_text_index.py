"""Implements the full-text index of each database: which documents contain which terms.

The index returns candidates. :mod:`backend.documents.ranking` sorts them with one formula for both databases,
so that a document has the same score on either.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents.ranking import Totals, length_offset

KIND, LANGUAGE = "kind:", "lang:"
"""Prefixes of the terms for a document's kind and language, by which the index filters.

No term of a text contains a colon.
"""

Filters = Sequence[Sequence[str]]
"""A document must contain at least one term of each group."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query: weighted terms (:func:`backend.documents.ranking.compute_weights`) in a store with ``totals``.

    Only documents that pass ``filters`` are found, at most ``limit``.
    """

    weights: Mapping[str, float]
    totals: Totals
    filters: Filters
    limit: int


class FullTextIndex(Protocol):
    """The full-text index. Terms come from :mod:`backend.documents.tokenizer` and need no quoting."""

    def write(self, connection: Connection, terms_by_id: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Index documents by their terms, replacing their earlier entries."""
        ...

    def frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        """Count the documents that contain each of ``terms``."""
        ...

    def candidates(self, connection: Connection, query: Query) -> list[int]:
        """Find ids of documents that contain the terms with the most weight, in any order."""
        ...


class Fts5Index:
    """Full-text index of SQLite (FTS5), which ranks by BM25 itself."""

    def write(self, connection: Connection, terms_by_id: Iterable[tuple[int, Sequence[str]]]) -> None:
        rows = [{"id": number, "terms": " ".join(terms)} for number, terms in terms_by_id]
        if rows:
            connection.execute(
                sa.text("INSERT OR REPLACE INTO document_search (rowid, terms) VALUES (:id, :terms)"), rows
            )

    def frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        statement = sa.text("SELECT doc FROM document_search_terms WHERE term = :term")
        return {term: connection.execute(statement, {"term": term}).scalar() or 0 for term in terms}

    def candidates(self, connection: Connection, query: Query) -> list[int]:
        groups = [list(query.weights), *query.filters]
        match = " AND ".join(f"({' OR '.join(map(_quote_double, group))})" for group in groups)
        rows = connection.execute(
            sa.text(
                "SELECT rowid FROM document_search WHERE document_search MATCH :match"
                " ORDER BY rank LIMIT :limit"
            ),
            {"match": match, "limit": query.limit},
        )
        return list(rows.scalars())


class GinIndex:
    """Full-text index of PostgreSQL (GIN).

    ``ts_rank`` ignores how rare a term is and reads every matching vector. Here a document ranks by the
    weights of its terms and its length, which equals BM25 if each term occurs once. Of the ten best documents
    for a sentence, 99 in 100 are among the candidates.
    """

    def write(self, connection: Connection, terms_by_id: Iterable[tuple[int, Sequence[str]]]) -> None:
        rows = [
            {"id": number, "length": len(terms), "terms": list(dict.fromkeys(terms))}
            for number, terms in terms_by_id
        ]
        if rows:
            connection.execute(
                sa.text(
                    "INSERT INTO document_search (document_id, length, terms)"
                    " VALUES (:id, :length, array_to_tsvector(CAST(:terms AS text[])))"
                    " ON CONFLICT (document_id) DO UPDATE"
                    " SET length = excluded.length, terms = excluded.terms"
                ),
                rows,
            )

    def frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        if not terms:
            return {}
        _force_index_scan(connection)
        counted = connection.execute(
            sa.text(
                "SELECT (SELECT count(*) FROM document_search WHERE terms @@ CAST(asked.query AS tsquery))"
                " FROM unnest(CAST(:queries AS text[])) WITH ORDINALITY AS asked (query, place)"
                " ORDER BY place"
            ),
            {"queries": [_quote_single(term) for term in terms]},
        )
        return dict(zip(terms, counted.scalars(), strict=True))

    def candidates(self, connection: Connection, query: Query) -> list[int]:
        _force_index_scan(connection)
        filter_query = "".join(f" & ({' | '.join(map(_quote_single, group))})" for group in query.filters)
        branch = (
            "SELECT document_id, CAST(:weight{0} AS float8) / (:offset + length) AS weight"
            " FROM document_search WHERE terms @@ CAST(:query{0} AS tsquery)"
        )
        values: dict[str, object] = {"limit": query.limit, "offset": length_offset(query.totals)}
        for position, (term, weight) in enumerate(query.weights.items()):
            values |= {f"weight{position}": weight, f"query{position}": _quote_single(term) + filter_query}
        branches = " UNION ALL ".join(branch.format(position) for position in range(len(query.weights)))
        rows = connection.execute(
            sa.text(
                f"SELECT document_id FROM ({branches}) AS found GROUP BY document_id"  # noqa: S608 - fixed text
                " ORDER BY sum(weight) DESC, document_id LIMIT :limit"
            ),
            values,
        )
        return list(rows.scalars())


def create_index(dialect: str) -> FullTextIndex:
    """Create the index for a database dialect."""
    return Fts5Index() if dialect == "sqlite" else GinIndex()


def get_index(connection: Connection) -> FullTextIndex:
    return create_index(connection.dialect.name)


def _force_index_scan(connection: Connection) -> None:
    """Force index scans in this transaction.

    The planner underestimates a scan that unpacks every vector, and overestimates such searches so much that
    it would start parallel workers and the JIT compiler.
    """
    connection.exec_driver_sql(
        "SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off"
    )


def _quote_double(term: str) -> str:
    return f'"{term}"'


def _quote_single(term: str) -> str:
    return f"'{term}'"
