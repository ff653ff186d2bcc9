"""Lists, reads and adds evaluation runs for endpoints and commands."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Literal, NamedTuple

import orjson
import structlog

from backend.errors import Conflict, NotFound
from backend.formats.file_errors import FileError
from backend.http.prepared_responses import Prepared
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import run_queries, store
from backend.timelines.model import EVALUATION_FIELDS, Realm
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.responses.chunk_cache import ChunkCache, Encoding
from backend.timelines.responses.prepared_timelines import MAX_RUNS, PreparedTimelines, RequestKey
from backend.timelines.responses.response_chunks import ChunkBuilder
from backend.timelines.responses.streaming_response import (
    Body,
    Chunk,
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
PREPARED_SHARE = 8
"""Whole small responses take an eighth of the memory for runs, in addition to it."""
PRELOAD_BACKOFF_SECONDS = 0.02
"""Pause of preloading after a request has read from the store."""
_ADDITIONAL_FIELDS = ("cost_usd", "agent", "error", "machinery_failure", *EVALUATION_FIELDS)


class Representation(NamedTuple):
    """The representation of a response: its form, and whether it is compressed."""

    form: Literal["json", "arrow"]
    gzip: bool

    @property
    def encoding(self) -> Encoding:
        return "arrow" if self.form == "arrow" else "gzip" if self.gzip else "json"


@dataclass(frozen=True, slots=True)
class TimelineAnswer:
    """A response that can be sent: its strong entity tag and the source of its body."""

    tag: str
    service: "TimelineService"
    representation: Representation
    queries: Sequence[RunQuery]
    is_listing: bool
    plain_tag: str | None
    """The tag of the same answer uncompressed, for JSON of so few runs that it is built as a whole."""
    snapshot: TimelinesSnapshot

    def body(self) -> Body:
        return self.service.body(self)


class TimelineService:
    """Reads and stores runs; one instance per process."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self.profiles = Profiles(settings, sample_profiles)
        self.states = SnapshotReader(database, self.profiles)
        max_cache_bytes = settings.timelines_memory_mib * 1024**2
        self.chunk_cache = ChunkCache(max_cache_bytes)
        self._chunks = ChunkBuilder(self.chunk_cache)
        self.prepared = PreparedTimelines(database, self.profiles, max_cache_bytes // PREPARED_SHARE)
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

    def listing(self, selection: Selection, representation: Representation) -> TimelineAnswer:
        """Prepare the response with every profile's timeline."""
        state = self.states.read()
        chosen = [build_query(timeline, selection) for timeline in state.timelines.values()]
        return self._build_answer(state, state.digest, None, selection, representation, chosen)

    def timeline(self, name: str, selection: Selection, representation: Representation) -> TimelineAnswer:
        """Prepare the response with one profile's timeline. Raises :class:`NotFound`."""
        state = self.states.read()
        timeline = _find_timeline(state, name)
        chosen = [build_query(timeline, selection)]
        version_key = orjson.dumps(
            [*store.fields(timeline.profile).values(), timeline.realm, timeline.version]
        )
        return self._build_answer(state, version_key.decode(), name, selection, representation, chosen)

    def _build_answer(
        self,
        snapshot: TimelinesSnapshot,
        version: str,
        name: str | None,
        selection: Selection,
        representation: Representation,
        queries: Sequence[RunQuery],
    ) -> TimelineAnswer:
        """Build the answer of one profile, or of all without a ``name``."""
        runs = sum(min(query.timeline.runs, query.limit) for query in queries if query.series)
        # Each profile has a few bytes of gzip's own, so a listing of mostly empty ones would grow.
        representation = representation._replace(gzip=representation.gzip and runs > len(queries))
        tag, plain_tag = (
            _build_tag(version, name or "", selection, form)
            for form in (representation, representation._replace(gzip=False))
        )
        is_small = representation.form == "json" and runs <= MAX_RUNS
        return TimelineAnswer(
            tag, self, representation, queries, name is None, plain_tag if is_small else None, snapshot
        )

    def run(self, run_id: str) -> bytes:
        """Return a run with its additional fields, in JSON. Raises :class:`NotFound`."""
        state = self.states.read()
        realms: tuple[Realm, ...] = ("own",) if state.realm == "own" else ("own", "sample")
        if "\0" in run_id:  # PostgreSQL cannot store U+0000
            raise NotFound("There is no run whose id holds U+0000.")
        with self._database.read() as connection:
            run_row = run_queries.find_run(connection, realms, run_id)
            run_profile = (
                None if run_row is None else run_queries.load_series_profile(connection, run_row.series_id)
            )
        if run_row is None or run_profile is None:
            raise NotFound(f"There is no run {_quote_shortened(run_id)}.")
        timeline = state.timelines.get(run_row.profile)
        series_fields = store.fields(run_profile)
        now = store.fields(timeline.profile) if timeline is not None else {}
        additional = orjson.loads(run_row.additional_json) if run_row.additional_json is not None else {}
        extra_fields = {name: series_fields[name] or now.get(name) for name in series_fields}
        extra_fields |= {name: additional.get(name) for name in _ADDITIONAL_FIELDS}
        return run_row.response_json[:-1] + b"," + orjson.dumps(extra_fields)[1:]

    def add(self, name: str, body: bytes) -> Added:
        """Validate and store the runs of a request body, all or none; they are durable when this returns.

        Raises :class:`NotFound`, :class:`Conflict` for a profile of the sample, and
        :class:`~backend.errors.BadRequest`.
        """
        state = self.states.read()
        timeline = _find_timeline(state, name)
        if state.realm != "own":
            raise Conflict(
                f"{_quote_shortened(name)} is a profile of the sample, which takes no runs. "
                "Configure your own, for example with 'chainproof profiles add', to replace the sample.",
                code="sample_profile",
            )
        return store.add(
            self._database, "own", request_body.prepare_body(body, name), {name: timeline.profile}
        )

    def preload(self, stop: Event) -> None:
        """Load the newest runs of all profiles into the cache until ``stop`` is set.

        Part of the cache stays free for other forms. Requests go first: two concurrent reads take longer
        than two in sequence. Preloading runs backwards, because a concurrent listing starts at the beginning
        and then finds the rest in the cache.
        """
        for timeline in reversed(list(self.states.read().timelines.values())):
            while time.monotonic() - self._read_at < PRELOAD_BACKOFF_SECONDS:
                if stop.wait(PRELOAD_BACKOFF_SECONDS):
                    return
            if stop.is_set() or self.chunk_cache.fullness > PRELOAD_MAX_FULLNESS:
                return
            with self._database.read() as connection:
                self._chunks.build("json", build_query(timeline, Selection()), connection)

    def body(self, answer: TimelineAnswer) -> Body:
        encoding = answer.representation.encoding
        chunks = all_ready(self._chunks.find_ready(encoding, query) for query in answer.queries)
        return Body(
            encoding,
            _build_frames(answer),
            answer.queries,
            chunks,
            lambda group: self._build_chunks(encoding, group),
        )

    def prepare(self, answer: TimelineAnswer, key: RequestKey) -> Prepared | None:
        """Build a response of few runs as a whole, and hold it for requests like ``key``.

        Returns None for an answer of many or long runs, which is streamed.
        """
        if answer.plain_tag is None:
            return None
        response = self.prepared.find(*key)
        if response is not None:
            return response
        frames = _build_frames(answer)
        parts, size = frames[:1], 0
        self._read_at = time.monotonic()
        with self._database.read() as connection:
            for query, frame in zip(answer.queries, frames[1:], strict=True):
                chunk = self._chunks.build_json(query, connection)
                parts += [chunk, frame]
                size += len(chunk)
                if size > self.prepared.max_body_bytes:
                    return None
        response = Prepared(b"".join(parts), digest=answer.plain_tag.strip('"'), negotiated=True)
        response.compress()
        self.prepared.store(key, response, answer.snapshot)
        return response

    def _build_chunks(self, encoding: Encoding, group: Sequence[RunQuery]) -> list[Chunk]:
        self._read_at = time.monotonic()
        with self._database.read() as connection:
            return [self._chunks.build(encoding, query, connection) for query in group]


def _find_timeline(state: TimelinesSnapshot, name: str) -> Timeline:
    timeline = state.timelines.get(name)
    if timeline is None:
        raise NotFound(
            f"There is no profile {_quote_shortened(name)}. GET /v1/timelines lists those there are."
        )
    return timeline


def _build_frames(answer: TimelineAnswer) -> list[bytes]:
    if answer.representation.form == "json":
        return listing_frames(answer.queries) if answer.is_listing else profile_frames(answer.queries[0])
    from backend.timelines.responses import arrow_stream  # see response_chunks.py

    return arrow_stream.frames(len(answer.queries))


def _build_tag(state: str, name: str, selection: Selection, representation: Representation) -> str:
    """Build the entity tag: equal bytes have equal tags in every process."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(orjson.dumps([state, name, selection.as_dict(), representation.encoding]))
    return f'"{digest.hexdigest()}"'


def _quote_shortened(text: str) -> str:
    cut = text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
    return f"'{cut}'"
