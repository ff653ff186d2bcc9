"""Builds the chunks of responses, from the cache or the store."""

from sqlalchemy.engine import Connection

from backend.timelines import run_queries
from backend.timelines.model import MAX_ENTRIES
from backend.timelines.responses.chunk_cache import CacheKey, ChunkCache, Encoding, JoinedRuns
from backend.timelines.responses.gzip_splicing import Packed, pack
from backend.timelines.selection import RunQuery

PACKING_LEVEL = 4
"""Compression level: output is a tenth larger than at level 6, in two thirds of the time."""
_NOTHING: dict[Encoding, bytes | Packed] = {"json": b"", "gzip": pack(b""), "arrow": b""}


class ChunkBuilder:
    """Builds and caches chunks. Thread-safe."""

    def __init__(self, chunk_cache: ChunkCache) -> None:
        self._chunk_cache = chunk_cache

    def find_ready(self, encoding: Encoding, query: RunQuery) -> bytes | Packed | None:
        """Return the chunk if it needs no reading or compression, else None."""
        if not query.series:
            return _NOTHING[encoding]
        if not query.whole:
            return None
        if encoding == "json":
            joined = self._get_joined_runs(query)
            return None if joined is None else joined.newest(query.limit)
        if not _is_all(query):
            return None
        chunk: bytes | Packed | None = self._chunk_cache.get(
            _build_key(encoding, query), query.timeline.version
        )
        return chunk

    def build(self, encoding: Encoding, query: RunQuery, connection: Connection) -> bytes | Packed:
        """Return the chunk, built if necessary; cache it if it holds all visible runs of its profile."""
        cached_chunk = self.find_ready(encoding, query)
        if cached_chunk is not None:
            return cached_chunk
        chunk: bytes | Packed
        match encoding:
            case "json":
                return self.build_json(query, connection)
            case "gzip":
                chunk = pack(self.build_json(query, connection), PACKING_LEVEL)
            case "arrow":
                # Imported lazily: it costs a third of a second and 40 MB, which only Arrow clients need.
                from backend.timelines.responses import arrow_stream

                chunk = arrow_stream.build_chunk(
                    run_queries.load_rows(connection, query), query.profiles_by_series
                )
        if _is_all(query):
            self._chunk_cache.put(_build_key(encoding, query), query.timeline.version, chunk)
        return chunk

    def build_json(self, query: RunQuery, connection: Connection) -> bytes:
        """Return the JSON chunk, built if necessary; cache it like :meth:`build`."""
        cached = self._get_joined_runs(query) if query.whole else None
        if cached is not None:
            return cached.newest(query.limit)
        joined = JoinedRuns.of(run_queries.load_run_responses(connection, query))
        if _is_all(query):
            self._chunk_cache.put(_build_key("json", query), query.timeline.version, joined)
        return joined.body

    def _get_joined_runs(self, query: RunQuery) -> JoinedRuns | None:
        runs: JoinedRuns | None = self._chunk_cache.get(_build_key("json", query), query.timeline.version)
        return runs


def _is_all(query: RunQuery) -> bool:
    """True if the query covers all visible runs of its profile."""
    return query.whole and query.limit >= min(MAX_ENTRIES, query.timeline.runs)


def _build_key(encoding: Encoding, query: RunQuery) -> CacheKey:
    return CacheKey(encoding, query.timeline.realm, query.timeline.name)
