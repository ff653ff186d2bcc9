"""Renders a comparison of two profiles as text, JSON, Markdown or JUnit XML."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from rich.markup import escape

from backend.cli.terminal.console import err, out
from backend.cli.terminal.tables import Column, print_table

if TYPE_CHECKING:
    from backend.timelines.analysis.gate import Gate

MAX_CASES_SHOWN = 12
"""Cases in the text and in Markdown: those with the largest differences."""
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+!|~])")


class OutputFormat(StrEnum):
    text = "text"
    json = "json"
    markdown = "markdown"
    junit = "junit"


@dataclass(frozen=True, slots=True)
class Output:
    """A comparison to print. ``report`` is that of :mod:`backend.timelines.analysis.comparison_report`.

    ``reasons`` are rows of :mod:`backend.timelines.comparisons.case_details`, None if nobody asked.
    """

    report: dict[str, Any]
    gate: "Gate | None"
    fails: bool
    reasons: list[dict[str, Any]] | None = None

    @property
    def has_comparison(self) -> bool:
        return self.report["comparison"] is not None


def print_comparison(output: Output, format: OutputFormat) -> None:
    """Print to standard output. The text of a refused comparison is left to the caller."""
    if format is OutputFormat.json:
        print(json.dumps(_build_json(output), indent=2, ensure_ascii=False))
    elif format is OutputFormat.markdown:
        print(build_markdown(output), end="")
    elif format is OutputFormat.junit:
        print(build_junit(output))
    else:
        _print_text(output)


def _build_json(output: Output) -> dict[str, Any]:
    gate = output.gate
    judged = None
    if gate is not None:
        judged = {
            "outcome": gate.outcome,
            "limit": gate.limit,
            "text": gate.text,
            "failed": output.fails,
        }
    why = {} if output.reasons is None else {"why": output.reasons}
    return {**output.report, "gate": judged, **why}


def _print_text(output: Output) -> None:
    report = output.report
    for note in report["notes"]:
        err.print(escape(note), highlight=False)
    if not output.has_comparison:
        return
    titles = ("mean", "95%", "passed", "cases", "runs")
    print_table(
        (Column("profile"), *(Column(title, "number") for title in titles)),
        [_build_side_cells(report[side]) for side in ("a", "b")],
    )
    cases = [
        [row["case_id"], f"{100 * row['a']:.1f}", f"{100 * row['b']:.1f}", f"{100 * row['difference']:+.1f}"]
        for row in _find_largest_differences(report["cases"])
    ]
    if cases:
        out.print()
        print_table((Column("case"), *(Column(title, "number") for title in ("A", "B", "B minus A"))), cases)
        out.print()
    for row in output.reasons or []:
        out.print(escape("\n".join(_list_reason_lines(row))), highlight=False, soft_wrap=True)
        out.print()
    out.print(_format_tally(report), highlight=False)
    out.print(escape(report["text"]), highlight=False)
    if output.gate is not None:
        out.print(escape(output.gate.text), highlight=False)


def _format_tally(report: dict[str, Any]) -> str:
    figures = report["comparison"]
    return f"B wins {figures['wins']}, ties {figures['ties']}, loses {figures['losses']}."


def _find_largest_differences(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sizes = sorted((abs(row["difference"]) for row in rows), reverse=True)[:MAX_CASES_SHOWN]
    return [row for row in rows if row["difference"] and abs(row["difference"]) >= sizes[-1]]


def _build_side_cells(side: dict[str, Any]) -> list[str]:
    mean = "" if side["mean"] is None else f"{100 * side['mean']:.1f}"
    bounds = " to ".join(f"{100 * end:.1f}" for end in side["interval"] or ())
    passed = "" if side["pass_rate"] is None else f"{100 * side['pass_rate']:.1f}%"
    return [side["profile"], mean, bounds, passed, f"{side['cases']:,}", f"{side['runs']:,}"]


def _list_reason_lines(row: dict[str, Any]) -> list[str]:
    """List the lines that show why a case divides both sides."""
    lines = [f"{row['case_id']}: B minus A {100 * row['difference']:+.1f}"]
    if row["question"]:
        lines.append(f"  question: {_indent(row['question'])}")
    for name in ("a", "b"):
        side = row[name]
        lines.append(f"  {name.upper()}, {side['profile']}, {100 * side['mean']:.1f} (run {side['run_id']})")
        if side["answer"]:
            lines.append(f"    answer: {_indent(side['answer'])}")
        lines += [f"    {grader['name']}: {_indent(grader['words'])}" for grader in side["graders"]]
        if not side["has_texts"]:
            parts = side["deductions"]
            lines += [
                f"    −{part['points']:g} {part['name']} {_indent(part['description'])}" for part in parts
            ]
        if side["error"]:
            lines.append(f"    error: {_indent(side['error'])}")
    return lines


def _indent(text: str) -> str:
    """Indent all lines but the first, without control characters, which could change the terminal."""
    printable = "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)
    return printable.strip().replace("\n", "\n      ")


def build_markdown(output: Output) -> str:
    """Build a report for a comment or a job summary."""
    report = output.report
    lines = [f"### {_escape_markdown(report['b']['profile'])} and {_escape_markdown(report['a']['profile'])}"]
    if output.gate is not None:
        word = "Failed" if output.fails else "Passed"
        lines += ["", f"**{word}.** {_escape_markdown(output.gate.text)}"]
    lines += ["", _escape_markdown(report["text"])]
    lines += [f"\n{_escape_markdown(note)}" for note in report["notes"]]
    if output.has_comparison:
        sides = [
            [name, *_build_side_cells(report[name.lower()])] for name in ("A", "B")
        ]  # the sentence names the profiles, the table of cases the letters
        titles = ("", "profile", "mean", "95%", "passed", "cases", "runs")
        lines += ["", *_build_markdown_table(titles, sides), "", _format_tally(report)]
        rows = [
            [
                row["case_id"],
                f"{100 * row['a']:.1f}",
                f"{100 * row['b']:.1f}",
                f"{100 * row['difference']:+.1f}",
            ]
            for row in _find_largest_differences(report["cases"])
        ]
        if rows:
            lines += ["", *_build_markdown_table(("case", "A", "B", "B minus A"), rows)]
    return "\n".join(lines) + "\n"


def _build_markdown_table(titles: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    aligned = [":--" if title in ("", "profile", "case") else "--:" for title in titles]
    cells = [[_escape_markdown(cell) for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (titles, aligned, *cells)]


def _escape_markdown(text: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\1", " ".join(text.split()))


def build_junit(output: Output) -> str:
    """Build a report of one test suite with one test: that B is not behind A."""
    report, gate = output.report, output.gate
    suite = ElementTree.Element("testsuite", name="chainproof runs compare", tests="1")
    counts = {"failures": "0", "errors": "0", "skipped": "0"}
    a, b = (_clean_xml(report[side]["profile"]) for side in ("a", "b"))
    test = ElementTree.SubElement(
        suite, "testcase", classname="chainproof.runs.compare", name=f"{b} is not behind {a}"
    )
    if not output.has_comparison:
        counts["errors"] = "1"
        _add_verdict(test, "error", report["verdict"], report["text"])
    elif gate is not None and output.fails:
        counts["failures"] = "1"
        _add_verdict(test, "failure", gate.outcome, gate.text)
    elif gate is not None and gate.outcome == "unsure":
        counts["skipped"] = "1"
        _add_verdict(test, "skipped", gate.outcome, gate.text)
    suite.attrib.update(counts)
    lines = [report["text"], *report["notes"]]
    lines += [
        f"{row['case_id']}: A {100 * row['a']:.1f}, B {100 * row['b']:.1f}, {100 * row['difference']:+.1f}"
        for row in report["cases"]
    ]
    ElementTree.SubElement(test, "system-out").text = _clean_xml("\n".join(lines))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}'


def _add_verdict(test: ElementTree.Element, tag: str, kind: str, text: str) -> None:
    element = ElementTree.SubElement(test, tag, message=_clean_xml(text))
    if tag != "skipped":
        element.set("type", kind)


def _clean_xml(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
