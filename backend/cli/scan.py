"""Defines ``chainproof scan``: applies naming rules to files and archives of articles, without a server."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape

from backend.cli.exit_codes import FINDINGS, WRONG_USAGE
from backend.cli.terminal.console import err, fail, handle_errors, print_error
from backend.formats.plurals import format_count
from backend.runtime import distribution, garbage_collection
from backend.runtime.data_folder import find_scan_folders

if TYPE_CHECKING:
    from backend.articles.files.file_io import Source
    from backend.articles.files.reports import Format
    from backend.articles.files.scanner import FileScanner, ScanOutcome
    from backend.articles.matching.rule_set import CompiledPack

app = typer.Typer()
SEVERITY_ORDER = {"error": 0, "warning": 1, "info": 2}


@dataclass
class ScanSummary:
    """Counts for the last line of output."""

    files: set[str] = field(default_factory=set)
    with_findings: set[str] = field(default_factory=set)
    findings: int = 0
    fixable: int = 0
    corrected: int = 0
    errors: int = 0

    def format(self, *, fixed: bool, shown: bool = False) -> str:
        """Build the line. ``fixed``: the corrections were made; ``shown``: a diff shows them."""
        scanned = f"{format_count(len(self.files), 'file')} scanned"
        corrections = f", {format_count(self.corrected, 'correction')} made" if fixed else ""
        if shown and not fixed and self.corrected:
            corrections = f", {format_count(self.corrected, 'correction')} shown, to make with --fix"
        left = " left" if corrections else ""
        if not self.findings:
            return f"{scanned}{corrections}: nothing{left} to correct."
        where = f" in {len(self.with_findings)} of them" if len(self.files) > 1 else ""
        findings = f"{format_count(self.findings, 'finding')}{left}{where}"
        hint = "" if corrections or not self.fixable else f"; {self.fixable} can be corrected with --fix"
        return f"{scanned}{corrections}: {findings}{hint}."


@app.command("scan")
@handle_errors
def scan(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Markdown, HTML, text or JSON Lines files, folders, or - for standard input."),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Apply the safe corrections to the files.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show the corrections as a diff. Without --fix nothing is written.")
    ] = False,
    output: Annotated[
        Literal["text", "json", "sarif"], typer.Option("--format", help="Output format.")
    ] = "text",
    out: Annotated[
        Path | None, typer.Option(help="File to write the corrected text to, with --fix and one input file.")
    ] = None,
    language: Annotated[
        Literal["en", "ja", "zh"] | None, typer.Option(help="Language of all articles. Detected by default.")
    ] = None,
    severity: Annotated[
        Literal["error", "warning", "info"], typer.Option(help="Minimum severity to report.")
    ] = "info",
    stdin_name: Annotated[
        str,
        typer.Option(
            "--stdin-name", help="File name to report for standard input. *.jsonl is read as JSON Lines."
        ),
    ] = "stdin.md",
    jobs: Annotated[
        int | None, typer.Option(min=0, help="Number of processes. One per core by default.")
    ] = None,
) -> None:
    """Find and correct wrong names in articles. Exits with 1 if there are findings."""
    with garbage_collection.paused():
        from backend.articles.files import file_io as files
        from backend.articles.files.scanner import FileScanner

    if out is not None and (not fix or paths is None or len(paths) != 1 or paths[0].is_dir()):
        fail("--out needs --fix and exactly one file.", WRONG_USAGE)
    if not paths and sys.stdin.isatty():
        fail("Name files or folders to scan, or - to read standard input.", WRONG_USAGE)
    sources = files.list_sources(paths or [files.STANDARD_INPUT], stdin_name)
    from_stdin = any(source.path is None for source in sources)
    scanner = FileScanner(load_scan_rules(), fix=fix or diff, language=language, jobs=jobs)
    printer = _ResultPrinter(
        scanner, output, severity, diff=diff, on_stderr=fix and from_stdin and out is None
    )
    with ExitStack() as stack:
        writer = stack.enter_context(files.Writer(out)) if fix else None
        stack.enter_context(printer.print_report())
        advance = stack.enter_context(_show_progress(sources, is_enabled=output == "text" and not diff))
        for outcome in scanner.outcomes(sources, writer):
            printer.add(outcome)
            advance(outcome)
    if output == "text":
        err.print(printer.summary.format(fixed=fix, shown=diff), highlight=False)
    if printer.summary.errors:
        raise typer.Exit(WRONG_USAGE)
    has_findings = printer.summary.findings or (diff and not fix and printer.summary.corrected)
    raise typer.Exit(FINDINGS if has_findings else 0)


def load_scan_rules() -> "CompiledPack":
    """Load the shipped rules and the user's own, from the cache if possible."""
    from backend.articles.rules.compiled_cache import FILE_NAME, CompiledRulesCache
    from backend.articles.rules.rules_loader import load_rules

    folders = find_scan_folders()
    with suppress(OSError):  # without a cache a scan only takes longer
        folders.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    cache = CompiledRulesCache(folders.cache / FILE_NAME, may_write=True, file_per_rule_set=True)
    with garbage_collection.paused():
        return load_rules(folders.rules, must_exist=folders.rules_must_exist, cache=cache)


class _ResultPrinter:
    """Prints the findings of each file or part of an archive."""

    def __init__(
        self, scanner: "FileScanner", output: "Format", severity: str, *, diff: bool, on_stderr: bool
    ) -> None:
        from backend.articles.files.reports import create_report

        stream = sys.stderr if on_stderr else sys.stdout
        self.summary = ScanSummary()
        self._stream = stream
        self._max_order = SEVERITY_ORDER[severity]
        self._diff = diff
        self._report = create_report(
            output,
            stream.write,
            colour=stream.isatty(),
            version=distribution.version,
            rules_version=scanner.rules.version,
        )

    @contextmanager
    def print_report(self) -> Iterator[None]:
        self._report.begin()
        yield
        self._report.end()
        self._stream.flush()

    def add(self, outcome: "ScanOutcome") -> None:
        if not outcome.unreadable:
            self.summary.files.add(outcome.source.name)
        self.summary.corrected += outcome.corrections
        for error in outcome.errors:
            self.summary.errors += 1
            print_error(error)
        if self._diff:
            self._stream.writelines(outcome.diff)
        for finding in outcome.findings:
            if SEVERITY_ORDER[finding.violation["severity"]] > self._max_order:
                continue
            self.summary.findings += 1
            self.summary.fixable += finding.fixable
            self.summary.with_findings.add(finding.file)
            if not self._diff:
                self._report.add(finding)


@contextmanager
def _show_progress(sources: "list[Source]", *, is_enabled: bool) -> Iterator[Callable[["ScanOutcome"], None]]:
    """Show a progress bar of the bytes read on standard error, if that is a terminal."""
    if not (is_enabled and sys.stderr.isatty()):
        yield lambda _outcome: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    total = sum(source.size for source in sources) or None
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("Scanning", total=total)
        yield lambda outcome: bar.update(task, advance=outcome.size, description=escape(outcome.source.name))
