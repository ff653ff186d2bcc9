"""Scans and corrects files and chunks of archives on all cores.

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
from backend.articles.files.file_io import Source, UnreadableFileError, Writer
from backend.articles.files.findings import Finding
from backend.articles.files.repository_settings import load_settings
from backend.articles.files.unified_diff import build_unified_diff
from backend.articles.matching.rule_set import CompiledPack, RuleSet
from backend.articles.rules.errors import InvalidRulesError
from backend.articles.rules.pack_transfer import load_rules, write_pack
from backend.articles.schemas import Article
from backend.entities.model import Language

MAX_PENDING_TASKS_PER_PROCESS = 3
"""Chunks in progress per process: enough to keep it busy, few enough for the memory."""
MIN_PARALLEL_BYTES = 1024 * 1024
"""Input below this size is scanned in this process: starting others would take longer."""


@dataclass(frozen=True, slots=True)
class ScanTask:
    """A whole text, or some lines of an archive, with the options of the scan."""

    source: Source
    fix: bool
    language: Language | None
    text: str = ""
    byte_order_mark: str = ""
    """The byte order byte_order_mark that the text began with."""
    lines: tuple[bytes, ...] = ()
    first: int = 1
    """Number of the first of ``lines``."""
    accept: tuple[str, ...] = ()
    """Texts that the repository accepts as they are written."""


@dataclass(slots=True)
class ScanOutcome:
    """The result of one file, or of one chunk of an archive."""

    source: Source
    size: int = 0
    """Bytes read."""
    findings: list[Finding] = field(default_factory=list)
    corrections: int = 0
    errors: list[str] = field(default_factory=list)
    unreadable: bool = False
    diff: list[str] = field(default_factory=list)
    corrected: list[bytes] = field(default_factory=list)
    """The corrected text, or all lines of the chunk of an archive, corrected or not."""


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

    def outcomes(self, sources: list[Source], writer: Writer | None) -> Iterator[ScanOutcome]:
        """Yield the outcomes of ``sources`` in order, archives in chunks; ``writer`` receives the texts."""
        large = sum(source.size for source in sources) > MIN_PARALLEL_BYTES or any(
            not source.path for source in sources
        )
        tasks = (task for source in sources for task in self._read_tasks(source))
        with ExitStack() as stack:
            processes = None
            if large and self._jobs > 1:
                pack = write_pack(stack.enter_context(TemporaryDirectory(prefix="chainproof-")), self._pack)
                executor = _start_processes(self._jobs)
                stack.callback(executor.shutdown, cancel_futures=True)
                processes = executor, pack
            for outcome in self._run_in_order(tasks, processes):
                if writer is not None:
                    if outcome.unreadable:
                        writer.discard(outcome.source)
                    else:
                        writer.write(outcome.source, outcome.corrected)
                yield outcome

    def _read_tasks(self, source: Source) -> Iterator[ScanTask | ScanOutcome]:
        try:
            accept = tuple(load_settings(source.path or Path(source.name)).accept)
            with source.open() as file:
                if source.is_archive:
                    for first, lines in json_lines.split_chunks(file):
                        yield ScanTask(
                            source, self._fix, self._language, lines=lines, first=first, accept=accept
                        )
                else:
                    text, byte_order_mark = file_io.decode(file.read(), source.name)
                    yield ScanTask(
                        source,
                        self._fix,
                        self._language,
                        text=text,
                        byte_order_mark=byte_order_mark,
                        accept=accept,
                    )
        except (UnreadableFileError, InvalidRulesError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            message = f"{source.name}: {reason}." if isinstance(error, OSError) else str(error)
            yield ScanOutcome(source, errors=[message], unreadable=True)

    def _run_in_order(
        self, tasks: Iterable[ScanTask | ScanOutcome], processes: tuple[ProcessPoolExecutor, Path] | None
    ) -> Iterator[ScanOutcome]:
        if processes is None:
            for task in tasks:
                yield task if isinstance(task, ScanOutcome) else run_task(self.rules, task)
            return
        executor, pack = processes
        pending: deque[Future[ScanOutcome] | ScanOutcome] = deque()
        for task in tasks:
            pending.append(
                task if isinstance(task, ScanOutcome) else executor.submit(_run_task_with_pack, pack, task)
            )
            if len(pending) >= self._jobs * MAX_PENDING_TASKS_PER_PROCESS:
                yield _get_result(pending.popleft())
        while pending:
            yield _get_result(pending.popleft())


def run_task(rules: RuleSet, task: ScanTask) -> ScanOutcome:
    """Run one task. If corrections are made, the findings are those that remain."""
    return _scan_archive_chunk(rules, task) if task.source.is_archive else _scan_text(rules, task)


def _scan_text(rules: RuleSet, task: ScanTask) -> ScanOutcome:
    name, text = task.source.name, task.text
    # The name of the file may tell the article's date.
    article = Article(content=text, language=task.language, source=name, accept=list(task.accept))
    outcome = ScanOutcome(task.source, len(text.encode()))
    if task.fix:
        applied, remaining = apply_and_scan(rules, article)
        outcome.corrections = applied["applied_count"]
        text = applied["corrected_article"]["content"] or ""
        outcome.diff = list(build_unified_diff(task.text, text, name))
        if outcome.corrections or task.source.path is None:
            outcome.corrected = [(task.byte_order_mark + text).encode()]
    else:
        remaining = scan(rules, article)
    outcome.findings = list(
        findings.build_text_findings(name, text, remaining, findings.get_rules_by_id(rules))
    )
    return outcome


def _scan_archive_chunk(rules: RuleSet, task: ScanTask) -> ScanOutcome:
    results = json_lines.scan_lines(
        rules,
        task.source.name,
        task.first,
        task.lines,
        fix=task.fix,
        language=task.language,
        accept=task.accept,
    )
    outcome = ScanOutcome(task.source, sum(map(len, task.lines)))
    for number, before, result in zip(count(task.first), task.lines, results, strict=False):
        outcome.findings += result.findings
        outcome.corrections += result.corrections
        if result.error is not None:
            outcome.errors.append(result.error)
        if result.line != before:
            place = f"@@ -{number} +{number} @@ {task.source.name}\n"
            outcome.diff += [place, f"-{before.decode()}", f"+{result.line.decode()}"]
    outcome.corrected = [result.line for result in results]
    return outcome


def _start_processes(jobs: int) -> ProcessPoolExecutor:
    """Start processes that ignore Ctrl-C from their first instruction on; their parent ends them."""
    executor = ProcessPoolExecutor(jobs, get_context("spawn"))
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT}
    )  # child processes inherit the blocked signals
    try:
        for _ in range(jobs):  # each starts one
            executor.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return executor


def _get_result(outcome: "Future[ScanOutcome] | ScanOutcome") -> ScanOutcome:
    return outcome if isinstance(outcome, ScanOutcome) else outcome.result()


def _run_task_with_pack(pack: Path, task: ScanTask) -> ScanOutcome:
    return run_task(load_rules(pack), task)
