"""The desk at which files are scanned and corrected: files and pieces of archives, on all cores.

An archive is never held whole: pieces of it go out to processes and come back in order, a bounded number
at a time, and its corrected lines go straight to where they belong.
"""

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from backend.articles.engine import apply_and_scan, scan
from backend.articles.files import file_io, findings, json_lines
from backend.articles.files.file_io import Source, UnreadableFile, Writer
from backend.articles.files.findings import Finding
from backend.articles.files.unified_diff import unified
from backend.articles.matching.rule_set import CompiledPack, RuleSet
from backend.articles.rules.pack_transfer import load_rules, write_pack
from backend.articles.schemas import Article
from backend.entities.model import Language

AHEAD = 3
"""Pieces on their way for each process: enough to keep it busy, few enough to hold in memory."""
ALONE = 1024 * 1024
"""Bytes up to which starting processes takes longer than the work."""


@dataclass(frozen=True, slots=True)
class Task:
    """A whole text, or some lines of an archive, and what is to be done with it."""

    source: Source
    fix: bool
    language: Language | None
    text: str = ""
    mark: str = ""
    """The byte order mark that the text began with."""
    lines: tuple[bytes, ...] = ()
    first: int = 1
    """Number of the first of ``lines``."""


@dataclass(slots=True)
class Outcome:
    """What one file, or one piece of an archive, brought."""

    source: Source
    size: int = 0
    """Bytes that were read for it."""
    findings: list[Finding] = field(default_factory=list)
    corrections: int = 0
    mistakes: list[str] = field(default_factory=list)
    unreadable: bool = False
    diff: list[str] = field(default_factory=list)
    corrected: list[bytes] = field(default_factory=list)
    """The corrected text, or the lines of this piece of an archive, corrected or not."""


class FileScanner:
    """Scans files with the rules of ``compiled``; ``fix`` also makes the safe corrections.

    ``jobs`` is the number of processes, 0 for this one alone, by default one for each core.
    """

    def __init__(
        self, compiled: CompiledPack, *, fix: bool, language: Language | None = None, jobs: int | None = None
    ) -> None:
        self.rules, self._pack = compiled.rules, compiled.pack
        self._fix = fix
        self._language = language
        self._jobs = (os.cpu_count() or 1) if jobs is None else jobs

    def outcomes(self, sources: list[Source], writer: Writer | None) -> Iterator[Outcome]:
        """What each of ``sources`` brings, in order, archives piece by piece; ``writer`` gets the texts."""
        large = sum(source.size for source in sources) > ALONE or any(not source.path for source in sources)
        tasks = (task for source in sources for task in self._tasks(source))
        with ExitStack() as stack:
            processes = None
            if large and self._jobs > 1:
                pack = write_pack(stack.enter_context(TemporaryDirectory(prefix="chainproof-")), self._pack)
                executor = _start_processes(self._jobs)
                stack.callback(executor.shutdown, cancel_futures=True)
                processes = executor, pack
            for outcome in self._in_order(tasks, processes):
                if writer is not None:
                    if outcome.unreadable:
                        writer.discard(outcome.source)
                    else:
                        writer.write(outcome.source, outcome.corrected)
                yield outcome

    def _tasks(self, source: Source) -> Iterator[Task | Outcome]:
        try:
            with source.open() as file:
                if source.is_archive:
                    for first, lines in json_lines.pieces(file):
                        yield Task(source, self._fix, self._language, lines=lines, first=first)
                else:
                    text, mark = file_io.decode(file.read(), source.name)
                    yield Task(source, self._fix, self._language, text=text, mark=mark)
        except (UnreadableFile, OSError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) else fault
            told = f"{source.name}: {reason}." if isinstance(fault, OSError) else str(fault)
            yield Outcome(source, mistakes=[told], unreadable=True)

    def _in_order(
        self, tasks: Iterable[Task | Outcome], processes: tuple[ProcessPoolExecutor, Path] | None
    ) -> Iterator[Outcome]:
        if processes is None:
            for task in tasks:
                yield task if isinstance(task, Outcome) else work(self.rules, task)
            return
        executor, pack = processes
        waiting: deque[Future[Outcome] | Outcome] = deque()
        for task in tasks:
            waiting.append(task if isinstance(task, Outcome) else executor.submit(_work, pack, task))
            if len(waiting) >= self._jobs * AHEAD:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())


def work(rules: RuleSet, task: Task) -> Outcome:
    """Does one task. What is found is what is left after the corrections, where these are made."""
    return _piece(rules, task) if task.source.is_archive else _text(rules, task)


def _text(rules: RuleSet, task: Task) -> Outcome:
    name, text = task.source.name, task.text
    article = Article(content=text, language=task.language)
    outcome = Outcome(task.source, len(text.encode()))
    if task.fix:
        applied, left = apply_and_scan(rules, article)
        outcome.corrections = applied["applied_count"]
        text = applied["corrected_article"]["content"] or ""
        outcome.diff = list(unified(task.text, text, name))
        if outcome.corrections or task.source.path is None:
            outcome.corrected = [(task.mark + text).encode()]
    else:
        left = scan(rules, article)
    outcome.findings = list(findings.in_text(name, text, left, findings.by_id(rules)))
    return outcome


def _piece(rules: RuleSet, task: Task) -> Outcome:
    results = json_lines.work(
        rules, task.source.name, task.first, task.lines, fix=task.fix, language=task.language
    )
    outcome = Outcome(task.source, sum(map(len, task.lines)))
    for number, before, result in zip(count(task.first), task.lines, results, strict=False):
        outcome.findings += result.findings
        outcome.corrections += result.corrections
        if result.mistake is not None:
            outcome.mistakes.append(result.mistake)
        if result.line != before:
            place = f"@@ -{number} +{number} @@ {task.source.name}\n"
            outcome.diff += [place, f"-{before.decode()}", f"+{result.line.decode()}"]
    outcome.corrected = [result.line for result in results]
    return outcome


def _start_processes(jobs: int) -> ProcessPoolExecutor:
    """Processes to which Ctrl-C means nothing, from their first instruction on: their parent ends them."""
    executor = ProcessPoolExecutor(jobs, get_context("spawn"))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # what is blocked here is so in them
    try:
        for _ in range(jobs):  # each starts one
            executor.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return executor


def _result(outcome: "Future[Outcome] | Outcome") -> Outcome:
    return outcome if isinstance(outcome, Outcome) else outcome.result()


def _work(pack: Path, task: Task) -> Outcome:
    return work(load_rules(pack), task)
