"""Builds the pieces of responses from the cache, or from the store."""

from sqlalchemy.engine import Connection

from backend.timelines import run_queries
from backend.timelines.model import MAX_ENTRIES
from backend.timelines.responses.gzip_splicing import Packed, pack
from backend.timelines.responses.piece_cache import CacheKey, JoinedEntries, Kind, PieceCache
from backend.timelines.selection import RunQuery

PACKING_LEVEL = 4
"""Compression level: output is a tenth larger than at level 6, in two thirds of the time."""
_NOTHING: dict[Kind, bytes | Packed] = {"json": b"", "gzip": pack(b""), "arrow": b""}


class PieceBuilder:
    """Builds and caches pieces. Thread-safe."""

    def __init__(self, piece_cache: PieceCache) -> None:
        self._piece_cache = piece_cache

    def ready(self, kind: Kind, query: RunQuery) -> bytes | Packed | None:
        """Return the piece if it needs no reading or compression, else null."""
        if not query.series:
            return _NOTHING[kind]
        if not query.whole:
            return None
        if kind == "json":
            joined = self._tail(query)
            return None if joined is None else joined.newest(query.limit)
        if not _is_all(query):
            return None
        found: bytes | Packed | None = self._piece_cache.find(_key(kind, query), query.timeline.version)
        return found

    def make(self, kind: Kind, query: RunQuery, connection: Connection) -> bytes | Packed:
        """Return the piece, built if necessary; cache it if it holds all visible runs of its profile."""
        found = self.ready(kind, query)
        if found is not None:
            return found
        made: bytes | Packed
        match kind:
            case "json":
                return self._entries(query, connection)
            case "gzip":
                made = pack(self._entries(query, connection), PACKING_LEVEL)
            case "arrow":
                # Imported lazily: it costs a third of a second and 40 MB, which only Arrow clients need.
                from backend.timelines.responses import arrow_stream

                made = arrow_stream.piece(run_queries.load_rows(connection, query), query.made_with)
        if _is_all(query):
            self._piece_cache.put(_key(kind, query), query.timeline.version, made)
        return made

    def _entries(self, query: RunQuery, connection: Connection) -> bytes:
        tail = self._tail(query) if query.whole else None
        if tail is not None:
            return tail.newest(query.limit)
        joined = JoinedEntries.of(run_queries.load_entries(connection, query))
        if _is_all(query):
            self._piece_cache.put(_key("json", query), query.timeline.version, joined)
        return joined.body

    def _tail(self, query: RunQuery) -> JoinedEntries | None:
        found: JoinedEntries | None = self._piece_cache.find(_key("json", query), query.timeline.version)
        return found


def _is_all(query: RunQuery) -> bool:
    """True if the query covers all visible runs of its profile."""
    return query.whole and query.limit >= min(MAX_ENTRIES, query.timeline.runs)


def _key(kind: Kind, query: RunQuery) -> CacheKey:
    return CacheKey(kind, query.timeline.realm, query.timeline.name)
