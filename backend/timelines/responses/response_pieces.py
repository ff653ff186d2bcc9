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
            joined = self._find_tail(query)
            return None if joined is None else joined.newest(query.limit)
        if not _is_all(query):
            return None
        piece: bytes | Packed | None = self._piece_cache.find(_build_key(kind, query), query.timeline.version)
        return piece

    def make(self, kind: Kind, query: RunQuery, connection: Connection) -> bytes | Packed:
        """Return the piece, built if necessary; cache it if it holds all visible runs of its profile."""
        cached_piece = self.ready(kind, query)
        if cached_piece is not None:
            return cached_piece
        piece: bytes | Packed
        match kind:
            case "json":
                return self.make_json(query, connection)
            case "gzip":
                piece = pack(self.make_json(query, connection), PACKING_LEVEL)
            case "arrow":
                # Imported lazily: it costs a third of a second and 40 MB, which only Arrow clients need.
                from backend.timelines.responses import arrow_stream

                piece = arrow_stream.piece(run_queries.load_rows(connection, query), query.made_with)
        if _is_all(query):
            self._piece_cache.put(_build_key(kind, query), query.timeline.version, piece)
        return piece

    def make_json(self, query: RunQuery, connection: Connection) -> bytes:
        """Return the JSON piece, built if necessary; cache it like :meth:`make`."""
        tail = self._find_tail(query) if query.whole else None
        if tail is not None:
            return tail.newest(query.limit)
        joined = JoinedEntries.of(run_queries.load_entries(connection, query))
        if _is_all(query):
            self._piece_cache.put(_build_key("json", query), query.timeline.version, joined)
        return joined.body

    def _find_tail(self, query: RunQuery) -> JoinedEntries | None:
        entries: JoinedEntries | None = self._piece_cache.find(
            _build_key("json", query), query.timeline.version
        )
        return entries


def _is_all(query: RunQuery) -> bool:
    """True if the query covers all visible runs of its profile."""
    return query.whole and query.limit >= min(MAX_ENTRIES, query.timeline.runs)


def _build_key(kind: Kind, query: RunQuery) -> CacheKey:
    return CacheKey(kind, query.timeline.realm, query.timeline.name)
