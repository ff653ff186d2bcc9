"""Lists, reads and adds evaluation runs for endpoints and commands."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

import orjson
import structlog

from backend.errors import Conflict, NotFound
from backend.formats.file_errors import FileError
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import run_queries, store
from backend.timelines.model import Realm
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.responses.content_negotiation import Form
from backend.timelines.responses.piece_cache import Kind, PieceCache
from backend.timelines.responses.response_pieces import PieceBuilder
from backend.timelines.responses.streaming_response import (
    Body,
    Piece,
    all_ready,
    listing_frames,
    profile_frames,
)
from backend.timelines.sample.sample_runs import sample_profiles
from backend.timelines.selection import RunQuery, Selection, build_query
from backend.timelines.store import Added
from backend.timelines.store_snapshot import SnapshotReader, Timeline, TimelinesSnapshot
from backend.timelines.validation import request_body

log = structlog.get_logger(__name__)

MAX_SHOWN_CHARS = 100
PRELOAD_MAX_FULLNESS = 0.75
"""Maximum share of the cache that preloading fills before any request."""
PRELOAD_BACKOFF_SECONDS = 0.02
"""Pause of preloading after a request has read from the store."""
_REST = ("cost_usd", "agent", "error", "machinery_failure")


class Representation(NamedTuple):
    """The representation of a response: its form, and whether it is compressed."""

    form: Form
    gzip: bool

    @property
    def kind(self) -> Kind:
        return "arrow" if self.form == "arrow" else "gzip" if self.gzip else "json"


@dataclass(frozen=True, slots=True)
class TimelineAnswer:
    """A response that can be sent: its strong entity tag and the source of its body."""

    tag: str
    service: "TimelineService"
    asked: Representation
    queries: Sequence[RunQuery]
    is_listing: bool

    def body(self) -> Body:
        return self.service.body(self)


class TimelineService:
    """Reads and stores runs; one instance per process."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self.profiles = Profiles(settings, sample_profiles)
        self.states = SnapshotReader(database, self.profiles)
        self.piece_cache = PieceCache(settings.timelines_memory_mib * 1024**2)
        self._parts = PieceBuilder(self.piece_cache)
        self._logged_errors: list[FileError] = []
        self._read_at = 0.0
        self.refresh()

    def refresh(self) -> None:
        """Reload changed profile files; log each set of errors once."""
        self.profiles.refresh()
        errors = self.profiles.errors
        if errors and errors != self._logged_errors:
            log.warning("profiles_rejected", errors=[str(error) for error in errors[:5]])
        self._logged_errors = errors

    def listing(self, selection: Selection, asked: Representation) -> TimelineAnswer:
        """Prepare the response with every profile's timeline."""
        state = self.states.read()
        chosen = [build_query(timeline, selection) for timeline in state.timelines.values()]
        tag = _tag(state.digest, "", selection, asked)
        return TimelineAnswer(tag, self, asked, chosen, is_listing=True)

    def timeline(self, name: str, selection: Selection, asked: Representation) -> TimelineAnswer:
        """Prepare the response with one profile's timeline. Raises :class:`NotFound`."""
        timeline = _known(self.states.read(), name)
        chosen = [build_query(timeline, selection)]
        own = orjson.dumps([*store.fields(timeline.profile).values(), timeline.realm, timeline.version])
        tag = _tag(own.decode(), name, selection, asked)
        return TimelineAnswer(tag, self, asked, chosen, is_listing=False)

    def run(self, run_id: str) -> bytes:
        """Return a run with its additional fields, in JSON. Raises :class:`NotFound`."""
        state = self.states.read()
        realms: tuple[Realm, ...] = ("own",) if state.realm == "own" else ("own", "sample")
        if "\0" in run_id:  # PostgreSQL cannot store U+0000
            raise NotFound("There is no run whose id holds U+0000.")
        with self._database.read() as connection:
            found = run_queries.find_run(connection, realms, run_id)
            made_with = (
                None if found is None else run_queries.load_series_profile(connection, found.series_id)
            )
        if found is None or made_with is None:
            raise NotFound(f"There is no run {_shown(run_id)}.")
        timeline = state.timelines.get(found.profile)
        own = store.fields(made_with)
        now = store.fields(timeline.profile) if timeline is not None else {}
        stored_rest = orjson.loads(found.rest) if found.rest is not None else {}
        more = {name: own[name] or now.get(name) for name in own}
        more |= {name: stored_rest.get(name) for name in _REST}
        return found.entry[:-1] + b"," + orjson.dumps(more)[1:]

    def add(self, name: str, body: bytes) -> Added:
        """Validate and store the runs of a request body, all or none; they are durable when this returns.

        Raises :class:`NotFound`, :class:`Conflict` for a profile of the sample, and
        :class:`~backend.errors.BadRequest`.
        """
        state = self.states.read()
        timeline = _known(state, name)
        if state.realm != "own":
            raise Conflict(
                f"{_shown(name)} is a profile of the sample, which takes no runs. Configure one of your own, "
                "as by 'chainproof profiles add'; the sample then gives way to it.",
                code="sample_profile",
            )
        return store.add(self._database, "own", request_body.prepared(body, name), {name: timeline.profile})

    def preload(self, stop: Event) -> None:
        """Load the newest runs of all profiles into the cache until ``stop`` is set.

        Part of the budget stays free for other forms. Requests go first: two concurrent reads take longer
        than two in sequence. Preloading runs backwards, because a concurrent listing starts at the beginning
        and then finds the rest in the cache.
        """
        for timeline in reversed(list(self.states.read().timelines.values())):
            while time.monotonic() - self._read_at < PRELOAD_BACKOFF_SECONDS:
                if stop.wait(PRELOAD_BACKOFF_SECONDS):
                    return
            if stop.is_set() or self.piece_cache.fullness > PRELOAD_MAX_FULLNESS:
                return
            with self._database.read() as connection:
                self._parts.make("json", build_query(timeline, Selection()), connection)

    def body(self, found: TimelineAnswer) -> Body:
        kind = found.asked.kind
        pieces = all_ready(self._parts.ready(kind, each) for each in found.queries)
        return Body(kind, _frames(found), found.queries, pieces, lambda group: self._made(kind, group))

    def _made(self, kind: Kind, group: Sequence[RunQuery]) -> list[Piece]:
        self._read_at = time.monotonic()
        with self._database.read() as connection:
            return [self._parts.make(kind, each, connection) for each in group]


def _known(state: TimelinesSnapshot, name: str) -> Timeline:
    timeline = state.timelines.get(name)
    if timeline is None:
        raise NotFound(f"There is no profile {_shown(name)}. GET /v1/timelines lists those there are.")
    return timeline


def _frames(found: TimelineAnswer) -> list[bytes]:
    if found.asked.form == "json":
        return listing_frames(found.queries) if found.is_listing else profile_frames(found.queries[0])
    from backend.timelines.responses import arrow_stream  # see response_pieces.py

    return arrow_stream.frames(len(found.queries))


def _tag(state: str, name: str, selection: Selection, asked: Representation) -> str:
    """Build the entity tag: equal bytes have equal tags in every process."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(orjson.dumps([state, name, selection.as_dict(), asked.kind]))
    return f'"{digest.hexdigest()}"'


def _shown(text: str) -> str:
    cut = text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
    return f"'{cut}'"
