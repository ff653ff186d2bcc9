"""Holds the active rules as one immutable set, and replaces it as a whole when rule files change."""

import threading

import structlog

from backend.articles.matching.rule_set import CompiledPack, RuleSet
from backend.articles.rules.compiled_cache import FILE_NAME, CompiledRulesCache
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.pack_loader import default_files, user_files
from backend.articles.rules.rules_loader import Signature, find_signature, load_rules, load_shipped
from backend.settings import Settings
from backend.store.database import Database, bump

CHANGED = "rules"
"""The change counter that :func:`announce` increments."""

log = structlog.get_logger(__name__)


class ActiveRules:
    """The shipped rules merged with the user's own, reloaded when a file changes.

    Any thread may read ``current`` at any time. Read it once to use several of its parts. A set with an error
    is rejected as a whole: the error is logged once and stored in ``problem``, and the previous set stays
    active. At the start, the shipped rules alone become active instead. A corrected file is loaded at the
    next check.

    :raises InvalidRulesError: if the shipped rules themselves have an error.
    """

    def __init__(self, settings: Settings, *, write_cache: bool = False) -> None:
        """Load the rules, from the cache if possible.

        ``write_cache`` also writes newly compiled rules to the cache. Services do that; commands that only
        read do not.
        """
        self._folder = settings.user_rules_dir
        self._folder_is_configured = settings.rules_dir is not None
        cache = CompiledRulesCache(settings.home / FILE_NAME, may_write=write_cache)
        self._lock = threading.Lock()
        self._problem: InvalidRulesError | None = None
        self._signature = self._read_signature()
        try:
            self._in_force = self._read(cache)
        except InvalidRulesError as refused:
            self._in_force = load_shipped(cache)
            self._reject(refused)

    @property
    def in_force(self) -> CompiledPack:
        """The active set, with the pack that it was compiled from."""
        return self._in_force

    @property
    def current(self) -> RuleSet:
        return self._in_force.rules

    @property
    def version(self) -> str:
        """The hash of the active set."""
        return self.current.version

    @property
    def problem(self) -> InvalidRulesError | None:
        """Why the rules on disk are not active; None if they are."""
        return self._problem

    def has_changed_on_disk(self) -> bool:
        """True if a rule file was added, removed or changed since the last load, by ``stat``."""
        return self._read_signature() != self._signature

    def reload(self) -> None:
        """Read all files again.

        :raises InvalidRulesError: with every error. The active set stays.
        """
        with self._lock:
            # Read before the files: a change meanwhile then gives another signature, and the next check
            # reloads.
            self._signature = self._read_signature()
            try:
                self._in_force = self._read()  # not cached: writing the file would delay requests
            except InvalidRulesError as refused:
                self._reject(refused)
                raise
            if self._problem is not None:
                log.info("rules_recovered", version=self.version)
            self._problem = None

    def refresh(self) -> None:
        """Reload if a file changed. Errors are logged and not raised, for the change watcher."""
        if not self.has_changed_on_disk():
            return
        try:
            self.reload()
        except InvalidRulesError:
            return  # logged, and stored in ``problem``
        log.info("rules_loaded", version=self.version)

    def _read(self, cache: CompiledRulesCache | None = None) -> CompiledPack:
        return load_rules(self._folder, must_exist=self._folder_is_configured, cache=cache)

    def _reject(self, refused: InvalidRulesError) -> None:
        if self._problem is None or str(self._problem) != str(refused):
            errors = [str(error) for error in refused.errors[:5]]
            log.warning("rules_rejected", errors=errors, count=len(refused.errors))
        self._problem = refused

    def _read_signature(self) -> Signature:
        try:
            paths = [*default_files(), *user_files(self._folder)]
        except InvalidRulesError as refused:
            return (str(refused),)
        return (self._folder.is_dir(), *find_signature(paths))


def announce(database: Database) -> None:
    """Make every process check the rule files now."""
    with database.write() as connection:
        bump(connection, CHANGED)
