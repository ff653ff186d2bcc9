"""The full-text index of each database: which documents hold which terms, and the likeliest for a query.

What it gives are candidates. Their order is settled in :mod:`backend.documents.ranking`, by one formula
for both databases, so that a document has the same score on either.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from backend.documents.ranking import Totals, length_offset

KIND, LANGUAGE = "kind:", "lang:"
"""A document's kind and language are terms too, so that the index itself can filter by them. No term of a
text holds a colon."""

Filters = Sequence[Sequence[str]]
"""A document must hold one term at least of each group."""


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for: terms with their weights (:func:`backend.documents.ranking.weights`) in a store of
    ``totals``, among the documents that pass ``filters``; ``limit`` of them at the most."""

    weights: Mapping[str, float]
    totals: Totals
    filters: Filters
    limit: int


class FullText(Protocol):
    """Terms come from :mod:`backend.documents.tokenizer`; they hold nothing that needs quoting."""

    def write(self, connection: Connection, held: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Index documents by their terms, in place of what was indexed for them."""
        ...

    def frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        """In how many documents each of ``terms`` occurs."""
        ...

    def candidates(self, connection: Connection, query: Query) -> list[int]:
        """Ids of the documents that hold the weightiest of the terms, in no order that counts."""
        ...


class Fts5:
    """SQLite's own index and BM25."""

    def write(self, connection: Connection, held: Iterable[tuple[int, Sequence[str]]]) -> None:
        rows = [{"id": number, "terms": " ".join(terms)} for number, terms in held]
        if rows:
            connection.execute(
                sa.text("INSERT OR REPLACE INTO document_search (rowid, terms) VALUES (:id, :terms)"), rows
            )

    def frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        one = sa.text("SELECT doc FROM document_search_terms WHERE term = :term")
        return {term: connection.execute(one, {"term": term}).scalar() or 0 for term in terms}

    def candidates(self, connection: Connection, query: Query) -> list[int]:
        groups = [list(query.weights), *query.filters]
        match = " AND ".join(f"({' OR '.join(map(_in_double_quotes, group))})" for group in groups)
        found = connection.execute(
            sa.text(
                "SELECT rowid FROM document_search WHERE document_search MATCH :match"
                " ORDER BY rank LIMIT :limit"
            ),
            {"match": match, "limit": query.limit},
        )
        return list(found.scalars())


class Gin:
    """PostgreSQL's inverted index. ``ts_rank`` knows nothing of how rare a term is and reads every vector
    that matches; here a document ranks by the weights of the terms that it holds and by its length, which
    is BM25 as if each occurred once. Of the ten best for a sentence, 99 in 100 are among the candidates."""

    def write(self, connection: Connection, held: Iterable[tuple[int, Sequence[str]]]) -> None:
        rows = [
            {"id": number, "length": len(terms), "terms": list(dict.fromkeys(terms))}
            for number, terms in held
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
        _by_index_alone(connection)
        counted = connection.execute(
            sa.text(
                "SELECT (SELECT count(*) FROM document_search WHERE terms @@ CAST(asked.query AS tsquery))"
                " FROM unnest(CAST(:queries AS text[])) WITH ORDINALITY AS asked (query, place)"
                " ORDER BY place"
            ),
            {"queries": [_in_single_quotes(term) for term in terms]},
        )
        return dict(zip(terms, counted.scalars(), strict=True))

    def candidates(self, connection: Connection, query: Query) -> list[int]:
        _by_index_alone(connection)
        only = "".join(f" & ({' | '.join(map(_in_single_quotes, group))})" for group in query.filters)
        branch = (
            "SELECT document_id, CAST(:weight{0} AS float8) / (:offset + length) AS weight"
            " FROM document_search WHERE terms @@ CAST(:query{0} AS tsquery)"
        )
        values: dict[str, object] = {"limit": query.limit, "offset": length_offset(query.totals)}
        for place, (term, weight) in enumerate(query.weights.items()):
            values |= {f"weight{place}": weight, f"query{place}": _in_single_quotes(term) + only}
        branches = " UNION ALL ".join(branch.format(place) for place in range(len(query.weights)))
        found = connection.execute(
            sa.text(
                f"SELECT document_id FROM ({branches}) AS found GROUP BY document_id"  # noqa: S608 - fixed text
                " ORDER BY sum(weight) DESC, document_id LIMIT :limit"
            ),
            values,
        )
        return list(found.scalars())


def on(dialect: str) -> FullText:
    """The index of a database whose dialect has this name."""
    return Fts5() if dialect == "sqlite" else Gin()


def of(connection: Connection) -> FullText:
    return on(connection.dialect.name)


def _by_index_alone(connection: Connection) -> None:
    """For this transaction. The planner does not know what a scan costs that unpacks every vector, and takes
    hundreds of such searches for a piece of work that is worth two more processes and a compiler."""
    connection.exec_driver_sql(
        "SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off"
    )


def _in_double_quotes(term: str) -> str:
    return f'"{term}"'


def _in_single_quotes(term: str) -> str:
    return f"'{term}'"
