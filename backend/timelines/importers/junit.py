"""Reads JUnit's XML reports; each test case becomes a run.

The file is streamed through expat. A document type is refused before its first declaration, so that no entity
is declared or expanded. Nothing is fetched."""

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.parsers import expat

from backend.formats.timestamps import write_instant
from backend.timelines.importers.model import Format, ImportItem, InvalidItemError, SkippedItem, Source
from backend.timelines.importers.value_conversion import (
    add_seconds,
    build_run,
    convert_number,
    convert_text,
    convert_time,
    find_vendor,
    hash_values,
)
from backend.timelines.model import MAX_TEXT_CHARS, Run, ScoreAdjustment

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_MILLISECONDS = re.compile(r"\d{11,14}", re.ASCII)
_CHUNK_BYTES = 64 * 1024
_MAX_DEPTH = 100
_VERDICTS = ("failure", "error", "skipped")
_PROFILE_FIELDS = ("profile", "model", "provider", "model_vendor", "inference_provider", "agent")


@dataclass
class _Suite:
    name: str = ""
    timestamp: str | None = None
    properties: dict[str, str] = field(default_factory=dict)


@dataclass
class _Case:
    attributes: dict[str, str]
    line: int
    verdict: str | None = None
    verdict_attributes: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    length: int = 0


class _DocumentType(Exception):
    pass


def read(source: Source) -> Iterator[ImportItem]:
    report = _Report(source)
    try:
        with source.path.open("rb") as file:
            while piece := file.read(_CHUNK_BYTES):
                report.feed(piece)
                yield from report.finished(len(piece))
            report.end()
            yield from report.finished(0)
    except InvalidItemError as error:
        yield ImportItem(source.line_error(report.line, error), 0)


class _Report:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._suites: list[_Suite] = []
        self._case: _Case | None = None
        self._inside: str | None = None
        self._depth = 0
        self._seen: Counter[str] = Counter()
        self._done: deque[ImportItem] = deque()
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._add_text
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type

    @property
    def line(self) -> int:
        return int(self._parser.CurrentLineNumber)

    def feed(self, piece: bytes, *, last: bool = False) -> None:
        """Parse a piece. Raises :class:`InvalidItemError`."""
        try:
            self._parser.Parse(piece, last)
        except expat.ExpatError as error:
            raise InvalidItemError("", f"must be well-formed XML: {expat.ErrorString(error.code)}") from None
        except InvalidItemError:
            raise
        except (LookupError, ValueError) as error:
            raise InvalidItemError("", f"is in an encoding that cannot be read: {error}") from None
        except _DocumentType:
            raise InvalidItemError("", "declares a document type, which no JUnit report needs") from None

    def end(self) -> None:
        self.feed(b"", last=True)

    def finished(self, size: int) -> Iterator[ImportItem]:
        """Generate the cases that have ended; the first one carries the number of bytes read."""
        while self._done:
            item = self._done.popleft()
            yield ImportItem(item.content, size, item.line, item.place)
            size = 0

    def _refuse_document_type(self, *_declared: Any) -> None:
        raise _DocumentType

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1 and tag not in ("testsuites", "testsuite"):
            raise InvalidItemError("", f"must be a JUnit report, but its root is <{tag[:100]}>")
        if self._depth > _MAX_DEPTH:
            raise InvalidItemError("", "is nested too deeply")
        if tag in ("testsuites", "testsuite"):
            above = self._suites[-1] if self._suites else _Suite()
            suite_name = attributes.get("name") or above.name
            self._suites.append(
                _Suite(suite_name, attributes.get("timestamp") or above.timestamp, dict(above.properties))
            )
        elif tag == "testcase":
            self._case = _Case(attributes, self.line)
        elif tag in _VERDICTS and self._case is not None:
            self._inside = tag
            if self._case.verdict in (None, "failure"):  # an error outweighs a failure
                self._case.verdict, self._case.verdict_attributes = tag, attributes
        elif tag == "property" and self._case is None and self._suites:
            self._suites[-1].properties[attributes.get("name", "")] = attributes.get("value", "")

    def _add_text(self, text: str) -> None:
        case = self._case
        if case is not None and self._inside and case.length < MAX_TEXT_CHARS:
            case.text.append(text)
            case.length += len(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag in ("testsuites", "testsuite"):
            self._suites.pop()
        elif tag in _VERDICTS:
            self._inside = None
        elif tag == "testcase" and self._case is not None:
            case, self._case = self._case, None
            try:
                self._done.append(ImportItem(self._build_run(case), 0, case.line))
            except SkippedItem as skipped:
                self._done.append(ImportItem(skipped, 0, case.line))
            except InvalidItemError as error:
                self._done.append(ImportItem(self._source.line_error(case.line, error), 0, case.line))

    def _build_run(self, case: _Case) -> Run:
        if case.verdict == "skipped":
            raise SkippedItem("test cases were skipped")
        suite, source = self._suites[-1] if self._suites else _Suite(), self._source
        label = ".".join(
            part for part in (case.attributes.get("classname"), case.attributes.get("name")) if part
        )
        if not label:
            raise InvalidItemError("testcase", "has neither a name nor a classname")
        parts = {key: suite.properties.get(key) or None for key in _PROFILE_FIELDS}
        parts |= {"task": suite.name or None, "provider": parts["provider"] or "junit"}
        parts["model_vendor"] = parts["model_vendor"] or find_vendor(parts["model"])
        profile = source.profile(parts.pop("profile") or parts["model"], parts)
        began = self._find_start(case, suite)
        seconds = _parse_seconds(case.attributes.get("time"))
        run_hash = hash_values(profile, suite.name, began, label)
        self._seen[run_hash] += 1
        failure = (
            case.verdict_attributes.get("message")
            or "".join(case.text).strip()
            or case.verdict_attributes.get("type")
            or ""
        )
        reason = "\n".join(dict.fromkeys(filter(None, (failure, "".join(case.text).strip()))))
        deduction = ScoreAdjustment(
            case.verdict_attributes.get("type") or case.verdict or "", 1.0, convert_text(reason)
        )
        return build_run(
            run_id=f"junit-{run_hash}" + (f"-{self._seen[run_hash]}" if self._seen[run_hash] > 1 else ""),
            timestamp=began,
            finished_at=add_seconds(began, seconds) if seconds is not None else None,
            case_id=label,
            profile=profile,
            maximum=1.0,
            deductions=[ScoreAdjustment(deduction.name[:500], 1.0, deduction.description)]
            if case.verdict
            else [],
            provider=parts["provider"],
            model=parts["model"],
            model_vendor=parts["model_vendor"],
            inference_provider=parts["inference_provider"],
            agent=parts["agent"],
            error=(reason or "error") if case.verdict == "error" else None,
            infrastructure_failure=case.verdict == "error",
            evaluation_id=self._find_evaluation_id(profile, suite),
            suite=suite.name,
            revision=suite.properties.get("revision"),
            config_digest=suite.properties.get("config_digest"),
        )

    def _find_evaluation_id(self, profile: str, suite: _Suite) -> str | None:
        """Return the id of the suite, or one that its time gives; None without both."""
        if stated := suite.properties.get("evaluation_id"):
            return stated
        at = self._source.options.at
        time = suite.timestamp or (write_instant(at) if at else None)
        return None if time is None else f"junit-{hash_values(profile, suite.name, time)}"

    def _convert_timestamp(self, timestamp: str) -> str:
        instant = _parse_epoch_milliseconds(timestamp)
        if instant is None:
            return convert_time(timestamp, self._source.notes)
        self._source.notes.conversions["times were milliseconds since 1970"] += 1
        return instant

    def _find_start(self, case: _Case, suite: _Suite) -> str:
        timestamp = case.attributes.get("timestamp") or suite.timestamp
        if timestamp:
            return self._convert_timestamp(timestamp)
        if self._source.options.at is None:
            raise InvalidItemError(
                "timestamp", "neither the test case nor its suites have one; give it with --at"
            )
        self._source.notes.conversions["test cases without a time have that of --at"] += 1
        return write_instant(self._source.options.at)


def _parse_epoch_milliseconds(text: str) -> str | None:
    """Parse milliseconds since 1970, which some writers give instead of a timestamp; None for other texts."""
    if not _EPOCH_MILLISECONDS.fullmatch(text.strip()):
        return None
    return write_instant(_EPOCH + timedelta(milliseconds=int(text)))


def _parse_seconds(text: str | None) -> float | None:
    """Parse a duration, in which some writers separate thousands by commas."""
    try:
        seconds = convert_number(float((text or "").replace(",", "")))
    except ValueError:
        return None
    return seconds if seconds is not None and seconds >= 0 else None


FORMAT = Format(
    key="junit",
    title="JUnit XML",
    run_id="a hash of profile, suite, time and case; repeats of a case are numbered",
    field_sources={
        "timestamp": "timestamp of the test case, else of its suite; as UTC without a zone; or milliseconds",
        "finished_at": "timestamp and time",
        "case_id": "classname.name",
        "profile": "--profile, else the suite's property profile or model",
        "max_score, raw_score": "1",
        "deductions": "1 for a failure or error, by its type, with its message and text",
        "success": "neither failure nor error",
        "error, machinery_failure": "<error>; a <failure> is the model's own",
        "provider, model, model_vendor, inference_provider, agent": "the suite's properties of these names",
        "evaluation_id": "the suite's property, else a hash of profile, suite and the suite's time",
        "suite": "the suite's name",
        "revision, config_digest": "the suite's properties of these names",
    },
    null_reasons={
        "finished_at": "the test case has no time",
        "metrics": "JUnit records no tool calls",
        "model": "the suite has no such property",
        "model_vendor": "the suite has no such property, and the model's name does not say",
        "inference_provider": "the suite has no such property",
        "agent": "the suite has no such property",
        "cost_usd": "JUnit records none",
        "error": "the test case has no <error>",
    },
    read=read,
)
