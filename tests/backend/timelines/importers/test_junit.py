"""Import of JUnit reports, valid and hostile ones."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.runs.run_files import Reading

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="all">
 <testsuite name="agent" tests="4" timestamp="2026-03-01T10:00:00" time="9">
  <properties><property name="profile" value="alpha"/><property name="model" value="gpt-4o"/></properties>
  <testcase classname="tests.test_a" name="test_one" time="1.5"/>
  <testcase classname="tests.test_a" name="test_two" time="1,000.25">
   <failure message="assert 1 == 2" type="AssertionError">Traceback &amp; more</failure>
   <system-out>noise</system-out>
  </testcase>
  <testcase classname="tests.test_a" name="test_three">
   <error message="no sandbox">docker is down</error>
  </testcase>
  <testcase classname="tests.test_a" name="test_four"><skipped message="later"/></testcase>
 </testsuite>
</testsuites>
"""


def write_file(folder: Path, text: str | bytes) -> Path:
    (folder / "report.xml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / "report.xml"


def test_cases_become_runs_and_errors_infrastructure_failures(tmp_path: Path) -> None:
    reading = Reading(write_file(tmp_path, REPORT))
    passed, failed, broken = reading.runs
    assert (passed.case_id, passed.profile, passed.success) == ("tests.test_a.test_one", "alpha", True)
    assert (passed.timestamp, passed.finished_at) == ("2026-03-01T10:00:00Z", "2026-03-01T10:00:01.500000Z")
    assert (passed.model, passed.model_vendor, passed.infrastructure_failure) == ("gpt-4o", "openai", False)
    assert [(part.name, part.points, part.description) for part in failed.deductions] == [
        ("AssertionError", 1, "assert 1 == 2\nTraceback & more")
    ]
    assert (failed.infrastructure_failure, failed.error) == (False, None)
    assert (broken.infrastructure_failure, broken.error) == (True, "no sandbox\ndocker is down")
    assert reading.skipped == ["test cases were skipped"]
    assert reading.notes.conversions["times without a zone were taken as UTC"] == 3


def test_the_profile_is_part_of_the_id(tmp_path: Path) -> None:
    path = write_file(tmp_path, REPORT)
    ids = [[run.run_id for run in Reading(path, profile=name).runs] for name in ("a", "b", "a")]
    assert ids[0] == ids[2]
    assert not set(ids[0]) & set(ids[1])


def test_repeats_of_a_case_are_numbered(tmp_path: Path) -> None:
    case = '<testcase classname="c" name="n"/>'
    text = f'<testsuite timestamp="2026-03-01T10:00:00Z">{case * 3}</testsuite>'
    ids = [run.run_id for run in Reading(write_file(tmp_path, text), profile="p").runs]
    assert len(set(ids)) == 3
    assert ids[1:] == [f"{ids[0]}-2", f"{ids[0]}-3"]


def test_a_report_without_times_or_profile_names_the_missing_option(tmp_path: Path) -> None:
    path = write_file(tmp_path, '<testsuite><testcase name="n"/></testsuite>')
    assert Reading(path).errors == [":1: profile: the file names none; name it with --profile"]
    assert "give it with --at" in Reading(path, profile="p").errors[0]
    assert Reading(path, profile="p", at=AT).only.timestamp == "2026-03-01T12:00:00Z"


ENTITY = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
HOSTILE = [
    f"{ENTITY}<testsuite><testcase name='&b;'/></testsuite>",
    '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite/>',
    '<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:1/">]><testsuite>&e;</testsuite>',
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("text", HOSTILE)
def test_document_types_are_refused(tmp_path: Path, text: str, encoding: str) -> None:
    reading = Reading(write_file(tmp_path, text.encode(encoding)), "junit", profile="p", at=AT)
    assert reading.runs == []
    assert reading.errors == [":1: declares a document type, which no JUnit report needs"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<html></html>", ":1: must be a JUnit report, but its root is <html>"),
        ("<testsuite>&undeclared;</testsuite>", ":1: must be well-formed XML: undefined entity"),
        ("<testsuite>", ":1: must be well-formed XML: no element found"),
        ("<testsuite>" * 200, ":1: is nested too deeply"),
        ('<?xml version="1.0" encoding="utf-g"?><testsuite/>', ":1: is in an encoding that cannot be read"),
        ('<?xml version="1.0" encoding="big5"?><testsuite/>', ":1: is in an encoding that cannot be read"),
        (b"<testsuite>\xff</testsuite>", ":1: must be well-formed XML: not well-formed (invalid token)"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str | bytes, reason: str) -> None:
    (result,) = Reading(write_file(tmp_path, text), "junit").errors
    assert result.startswith(reason)


def test_long_texts_are_cut(tmp_path: Path) -> None:
    text = f'<testsuite><testcase name="n"><failure>{"x" * 300_000}</failure></testcase></testsuite>'
    run = Reading(write_file(tmp_path, text), profile="p", at=AT).only
    assert len(run.deductions[0].description) == 20_000


def test_milliseconds_since_1970_are_a_time(tmp_path: Path) -> None:
    case = '<testcase classname="c" name="n" time="2"/>'
    text = f'<testsuite timestamp="1772359200123">{case}</testsuite>'
    reading = Reading(write_file(tmp_path, text), profile="p")
    assert (reading.only.timestamp, reading.only.finished_at) == (
        "2026-03-01T10:00:00.123000Z",
        "2026-03-01T10:00:02.123000Z",
    )
    assert reading.notes.conversions["times were milliseconds since 1970"] == 1


def test_a_number_that_is_no_time_is_refused(tmp_path: Path) -> None:
    text = '<testsuite timestamp="12345"><testcase name="n"/></testsuite>'
    assert ":1: timestamp:" in Reading(write_file(tmp_path, text), profile="p").errors[0]
