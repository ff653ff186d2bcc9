"""The pieces that answers are made of: what stands in memory, or else what the store holds."""

from sqlalchemy.engine import Connection

from backend.timelines import run_queries
from backend.timelines.model import MOST_ENTRIES
from backend.timelines.responses.gzip_splicing import Packed, pack
from backend.timelines.responses.piece_cache import Joined, Key, Kind, Tails
from backend.timelines.selection import Wanted

PACKING_LEVEL = 4
"""A tenth larger than by level 6, in two thirds of the time."""
_NOTHING: dict[Kind, bytes | Packed] = {"json": b"", "gzip": pack(b""), "arrow": b""}


class Parts:
    """Safe to share between threads."""

    def __init__(self, tails: Tails) -> None:
        self._tails = tails

    def ready(self, kind: Kind, wanted: Wanted) -> bytes | Packed | None:
        """The piece, if nothing is to be read or compressed for it."""
        if not wanted.series:
            return _NOTHING[kind]
        if not wanted.whole:
            return None
        if kind == "json":
            joined = self._tail(wanted)
            return None if joined is None else joined.newest(wanted.limit)
        if not _is_all(wanted):
            return None
        found: bytes | Packed | None = self._tails.find(_key(kind, wanted), wanted.timeline.version)
        return found

    def make(self, kind: Kind, wanted: Wanted, connection: Connection) -> bytes | Packed:
        """The piece, read if it is not ready; it is kept where it is all that its profile shows."""
        found = self.ready(kind, wanted)
        if found is not None:
            return found
        made: bytes | Packed
        match kind:
            case "json":
                return self._entries(wanted, connection)
            case "gzip":
                made = pack(self._entries(wanted, connection), PACKING_LEVEL)
            case "arrow":
                # Not at the top: it takes a third of a second and 40 MB, for those who ask for it.
                from backend.timelines.responses import arrow_stream

                made = arrow_stream.piece(run_queries.whole_rows(connection, wanted), wanted.made_with)
        if _is_all(wanted):
            self._tails.offer(_key(kind, wanted), wanted.timeline.version, made)
        return made

    def _entries(self, wanted: Wanted, connection: Connection) -> bytes:
        tail = self._tail(wanted) if wanted.whole else None
        if tail is not None:
            return tail.newest(wanted.limit)
        joined = Joined.of(run_queries.entries(connection, wanted))
        if _is_all(wanted):
            self._tails.offer(_key("json", wanted), wanted.timeline.version, joined)
        return joined.body

    def _tail(self, wanted: Wanted) -> Joined | None:
        found: Joined | None = self._tails.find(_key("json", wanted), wanted.timeline.version)
        return found


def _is_all(wanted: Wanted) -> bool:
    """Whether it is all that the profile shows at the most."""
    return wanted.whole and wanted.limit >= min(MOST_ENTRIES, wanted.timeline.runs)


def _key(kind: Kind, wanted: Wanted) -> Key:
    return Key(kind, wanted.timeline.realm, wanted.timeline.name)
