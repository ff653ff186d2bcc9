"""The rules in force: one immutable set behind one pointer, exchanged whole or not at all."""

import threading

import structlog

from backend.articles.matching.rule_set import CompiledPack, RuleSet
from backend.articles.rules.compiled_cache import FILE_NAME, CompiledRulesCache
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.pack_loader import default_files, user_files
from backend.articles.rules.rules_loader import Signature, find_signature, load_rules, shipped
from backend.settings import Settings
from backend.store.database import Database, bump

CHANGED = "rules"
"""The change counter that :func:`announce` bumps."""

log = structlog.get_logger(__name__)


class ActiveRules:
    """The shipped rules with the user's own laid over them, read anew when a file changes.

    ``current`` may be read from any thread at any time; who works with several of its parts takes it
    once. A set with an error is refused as a whole, told once in the log and in ``problem``, and the set
    before goes on serving; at the start that is the shipped rules alone. A mended file is noticed.

    :raises InvalidRulesError: when the shipped rules themselves have an error.
    """

    def __init__(self, settings: Settings, *, keep: bool = False) -> None:
        """What a former start kept is used in any case; with ``keep`` this one keeps what it has to compile,
        as is for programs that run, and not for commands that look."""
        self._folder = settings.user_rules_dir
        self._folder_is_meant = settings.rules_dir is not None
        kept = CompiledRulesCache(settings.home / FILE_NAME, may_write=keep)
        self._lock = threading.Lock()
        self._problem: InvalidRulesError | None = None
        self._signature = self._seen_on_disk()
        try:
            self._in_force = self._read(kept)
        except InvalidRulesError as refused:
            self._in_force = shipped(kept)
            self._refuse(refused)

    @property
    def in_force(self) -> CompiledPack:
        """The set in force with what it was made from."""
        return self._in_force

    @property
    def current(self) -> RuleSet:
        return self._in_force.rules

    @property
    def version(self) -> str:
        """The hash of the set in force."""
        return self.current.version

    @property
    def problem(self) -> InvalidRulesError | None:
        """Why the rules on disk are not those in force; None where they are."""
        return self._problem

    def changed_on_disk(self) -> bool:
        """Whether a file of rules has come, gone or changed since they were last read. A few stats."""
        return self._seen_on_disk() != self._signature

    def reload(self) -> None:
        """Read all files anew.

        :raises InvalidRulesError: with every error; the set in force stays.
        """
        with self._lock:
            # Noted before reading: what changes meanwhile differs from it, and is read at the next look.
            self._signature = self._seen_on_disk()
            try:
                self._in_force = self._read()  # not to be kept: writing it would hold up requests
            except InvalidRulesError as refused:
                self._refuse(refused)
                raise
            if self._problem is not None:
                log.info("rules_recovered", version=self.version)
            self._problem = None

    def refresh(self) -> None:
        """Read anew if something changed; a refusal is logged, not raised. For the change watcher."""
        if not self.changed_on_disk():
            return
        try:
            self.reload()
        except InvalidRulesError:
            return  # told in the log and by ``problem``
        log.info("rules_loaded", version=self.version)

    def _read(self, kept: CompiledRulesCache | None = None) -> CompiledPack:
        return load_rules(self._folder, must_exist=self._folder_is_meant, kept=kept)

    def _refuse(self, refused: InvalidRulesError) -> None:
        if self._problem is None or str(self._problem) != str(refused):
            errors = [str(error) for error in refused.errors[:5]]
            log.warning("rules_rejected", errors=errors, count=len(refused.errors))
        self._problem = refused

    def _seen_on_disk(self) -> Signature:
        try:
            paths = [*default_files(), *user_files(self._folder)]
        except InvalidRulesError as refused:
            return (str(refused),)
        return (self._folder.is_dir(), *find_signature(paths))


def announce(database: Database) -> None:
    """Have every process look at the rules' files now."""
    with database.write() as connection:
        bump(connection, CHANGED)
