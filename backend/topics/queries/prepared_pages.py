"""Answers of lists that were asked for lately, ready to be sent again until a topic changes.

Bounded in number and in bytes: those asked for longest ago go first. An answer may end by the clock
alone, as the ranking of the last 24 hours does. When topics have changed, the answers asked for last are
made anew before they take the place of the old ones, so that no reader waits.
"""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from backend.formats.timestamps import Clock
from backend.http.prepared_responses import Prepared

MOST = 512
MOST_BYTES = 16 * 1024 * 1024
MOST_CARRIED = 16
"""How many answers are made anew with each change."""
Spelling = tuple[str, bytes]
"""A path and a query string as they came."""


class Made(NamedTuple):
    """A body, the instant at which the clock alone makes another of it, and headers of its own."""

    body: bytes
    until: datetime | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()


Recipe = Callable[[], Made]


class _Ready(NamedTuple):
    answer: Prepared
    until: datetime | None


class Shelf:
    """The answers of one state of the topics; another state gets another shelf."""

    def __init__(self) -> None:
        self.answers: OrderedDict[Spelling, _Ready] = OrderedDict()
        self.bytes = 0

    def keep(self, spelling: Spelling, made: _Ready) -> None:
        former = self.answers.pop(spelling, None)
        self.bytes += len(made.answer.body) - (len(former.answer.body) if former else 0)
        self.answers[spelling] = made
        while len(self.answers) > MOST or self.bytes > MOST_BYTES:
            _, oldest = self.answers.popitem(last=False)
            self.bytes -= len(oldest.answer.body)


class ReadyLists:
    """Safe to share between threads."""

    def __init__(self, now: Clock) -> None:
        self._now = now
        self._lock = Lock()
        self._shelf = Shelf()
        self._carried: OrderedDict[Spelling, Recipe] = OrderedDict()

    def find(self, path: str, query: bytes) -> Prepared | None:
        """The answer that stands ready for this very spelling, if any."""
        with self._lock:
            shelf = self._shelf
            found = shelf.answers.get((path, query))
            if found is None:
                return None
            shelf.answers.move_to_end((path, query))
        if found.until is not None and self._now() >= found.until:
            return None
        return found.answer

    def answer(self, spelling: Spelling, recipe: Recipe) -> Prepared:
        """Make the answer, and let ``find`` give it for this spelling, now and after changes."""
        # Before the store is read: what is read may be outdated when it is kept, and is then kept where
        # nobody looks any more.
        shelf = self._shelf
        made = _made(recipe)
        with self._lock:
            shelf.keep(spelling, made)
        self.expect(spelling, recipe)
        return made.answer

    def expect(self, spelling: Spelling, recipe: Recipe) -> None:
        """Make this answer with the next changes, whether or not it was asked for."""
        with self._lock:
            self._carried[spelling] = recipe
            self._carried.move_to_end(spelling)
            if len(self._carried) > MOST_CARRIED:
                self._carried.popitem(last=False)

    def reload(self) -> None:
        """The topics have changed somewhere: make anew what is asked for, and put it in place."""
        with self._lock:
            former, recipes = self._shelf, list(self._carried.items())
        shelf = Shelf()
        for spelling, recipe in recipes:
            shelf.keep(spelling, _made(recipe))
        with self._lock:
            if self._shelf is former:  # or else this process stored something meanwhile
                self._shelf = shelf

    def forget(self) -> None:
        """This process has changed a topic: whoever did so may look at once."""
        with self._lock:
            self._shelf = Shelf()


def _made(recipe: Recipe) -> _Ready:
    made = Made(*recipe())
    answer = Prepared(made.body, extra=made.headers)
    answer.compress()
    return _Ready(answer, made.until)
