"""The verbs of evaluation timelines, as endpoints and commands call them."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

import orjson
import structlog

from backend.errors import Conflict, NotFound
from backend.formats.file_errors import FileMistake
from backend.settings import Settings
from backend.store.database import Database
from backend.timelines import run_queries, store
from backend.timelines.model import Realm
from backend.timelines.profiles.configured_profiles import Profiles
from backend.timelines.responses.content_negotiation import Form
from backend.timelines.responses.piece_cache import Kind, Tails
from backend.timelines.responses.response_pieces import Parts
from backend.timelines.responses.streaming_response import (
    Body,
    Piece,
    all_ready,
    listing_frames,
    profile_frames,
)
from backend.timelines.sample.sample_runs import sample_profiles
from backend.timelines.selection import Selection, Wanted, wanted
from backend.timelines.store import Added
from backend.timelines.store_snapshot import State, StateReader, Timeline
from backend.timelines.validation import request_body

log = structlog.get_logger(__name__)

LONGEST_SHOWN = 100
READ_AHEAD = 0.75
"""How full memory gets by what nobody has asked for yet."""
GIVES_WAY_SECONDS = 0.02
"""How long reading ahead rests when somebody's answer was read."""
_REST = ("cost_usd", "agent", "error", "machinery_failure")


class Asked(NamedTuple):
    """A representation of an answer: its form, and whether it is compressed."""

    form: Form
    gzip: bool

    @property
    def kind(self) -> Kind:
        return "arrow" if self.form == "arrow" else "gzip" if self.gzip else "json"


@dataclass(frozen=True, slots=True)
class Found:
    """An answer that can be sent: its strong entity tag, and what gives its body."""

    tag: str
    service: "TimelineService"
    asked: Asked
    wanted: Sequence[Wanted]
    is_listing: bool

    def body(self) -> Body:
        return self.service.body(self)


class TimelineService:
    """Reads and stores runs, for one process."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self.profiles = Profiles(settings, sample_profiles)
        self.states = StateReader(database, self.profiles)
        self.tails = Tails(settings.timelines_memory_mib * 1024**2)
        self._parts = Parts(self.tails)
        self._told: list[FileMistake] = []
        self._read_at = 0.0
        self.refresh()

    def refresh(self) -> None:
        """Take up the files of profiles that have changed; their mistakes are told once in the log."""
        self.profiles.refresh()
        mistakes = self.profiles.mistakes
        if mistakes and mistakes != self._told:
            log.warning("profiles_refused", mistakes=[str(mistake) for mistake in mistakes[:5]])
        self._told = mistakes

    def listing(self, selection: Selection, asked: Asked) -> Found:
        """Every profile's timeline."""
        state = self.states.read()
        chosen = [wanted(timeline, selection) for timeline in state.timelines.values()]
        tag = _tag(state.digest, "", selection, asked)
        return Found(tag, self, asked, chosen, is_listing=True)

    def timeline(self, name: str, selection: Selection, asked: Asked) -> Found:
        """One profile's. Raises :class:`NotFound`."""
        timeline = _known(self.states.read(), name)
        chosen = [wanted(timeline, selection)]
        own = orjson.dumps([*store.fields(timeline.profile).values(), timeline.realm, timeline.version])
        tag = _tag(own.decode(), name, selection, asked)
        return Found(tag, self, asked, chosen, is_listing=False)

    def run(self, run_id: str) -> bytes:
        """A run with what an entry has no field for, in JSON. Raises :class:`NotFound`."""
        state = self.states.read()
        realms: tuple[Realm, ...] = ("own",) if state.realm == "own" else ("own", "sample")
        if "\0" in run_id:  # which PostgreSQL cannot look for
            raise NotFound("There is no run whose id holds U+0000.")
        with self._database.read() as connection:
            found = run_queries.find(connection, realms, run_id)
            made_with = None if found is None else run_queries.made_with(connection, found.series_id)
        if found is None or made_with is None:
            raise NotFound(f"There is no run {_shown(run_id)}.")
        timeline = state.timelines.get(found.profile)
        own = store.fields(made_with)
        now = store.fields(timeline.profile) if timeline is not None else {}
        beside = orjson.loads(found.rest) if found.rest is not None else {}
        more = {name: own[name] or now.get(name) for name in own}
        more |= {name: beside.get(name) for name in _REST}
        return found.entry[:-1] + b"," + orjson.dumps(more)[1:]

    def add(self, name: str, body: bytes) -> Added:
        """Store what a program sent to a profile: all of it is on the disk when this returns, or none.

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

    def read_ahead(self, stop: Event) -> None:
        """Keep the newest runs of all profiles, before anybody asks for them, until ``stop`` is set.

        Some of the budget is left to other forms, and whoever asks goes first: two that read at once take
        longer than one after the other. It goes backwards: a listing that comes meanwhile begins at the
        beginning, and finds the rest.
        """
        for timeline in reversed(list(self.states.read().timelines.values())):
            while time.monotonic() - self._read_at < GIVES_WAY_SECONDS:
                if stop.wait(GIVES_WAY_SECONDS):
                    return
            if stop.is_set() or self.tails.fullness > READ_AHEAD:
                return
            with self._database.read() as connection:
                self._parts.make("json", wanted(timeline, Selection()), connection)

    def body(self, found: Found) -> Body:
        kind = found.asked.kind
        pieces = all_ready(self._parts.ready(kind, each) for each in found.wanted)
        return Body(kind, _frames(found), found.wanted, pieces, lambda group: self._made(kind, group))

    def _made(self, kind: Kind, group: Sequence[Wanted]) -> list[Piece]:
        self._read_at = time.monotonic()
        with self._database.read() as connection:
            return [self._parts.make(kind, each, connection) for each in group]


def _known(state: State, name: str) -> Timeline:
    timeline = state.timelines.get(name)
    if timeline is None:
        raise NotFound(f"There is no profile {_shown(name)}. GET /v1/timelines lists those there are.")
    return timeline


def _frames(found: Found) -> list[bytes]:
    if found.asked.form == "json":
        return listing_frames(found.wanted) if found.is_listing else profile_frames(found.wanted[0])
    from backend.timelines.responses import arrow_stream  # see response_pieces.py

    return arrow_stream.frames(len(found.wanted))


def _tag(state: str, name: str, selection: Selection, asked: Asked) -> str:
    """The same bytes have the same tag, whichever process sends them."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(orjson.dumps([state, name, selection.as_dict(), asked.kind]))
    return f'"{digest.hexdigest()}"'


def _shown(text: str) -> str:
    cut = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
    return f"'{cut}'"
