"""A diff of a correction says what changes, and applying it gives the correction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.articles.files.unified_diff import build_unified_diff

lines = st.lists(st.sampled_from(["a", "b", "", " c", "以太坊", "-x", "+y"]), min_size=1, max_size=30)


def test_a_text_that_did_not_change_has_no_diff() -> None:
    assert list(build_unified_diff("a\nb\n", "a\nb\n", "x.md")) == []


def test_distant_changes_are_in_separate_hunks() -> None:
    before = [str(k) for k in range(30)]
    after = [*before]
    after[2], after[25] = "two", "twenty-five"
    result = "".join(build_unified_diff("\n".join(before) + "\n", "\n".join(after) + "\n", "x.md"))
    assert result.startswith("--- a/x.md\n+++ b/x.md\n@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+two\n 3\n")
    assert "@@ -23,7 +23,7 @@\n" in result


def test_texts_with_different_line_counts_are_rejected() -> None:
    with pytest.raises(ValueError, match="numbers of lines"):
        list(build_unified_diff("a", "a\nb", "x.md"))


def applied(before: str, diff: list[str]) -> str:
    """``before`` with the hunks of ``diff`` put in place."""
    old, new, at = before.splitlines(keepends=True), [], 0
    for line in diff[2:]:
        if line.startswith("@@"):
            start = int(line.split()[1][1:].split(",")[0]) - 1
            new += old[at:start]
            at = start
        elif line.startswith("+"):
            new.append(line[1:])
        elif not line.startswith("\n\\"):
            assert old[at] == line[1:]
            at += 1
            new += [line[1:]] if line.startswith(" ") else []
    return "".join(new + old[at:])


@given(lines, st.data(), st.sampled_from(["", "\n"]))
def test_applying_the_diff_gives_the_corrected_text(old: list[str], data: st.DataObject, end: str) -> None:
    new = [data.draw(st.sampled_from([line, line + "!"])) for line in old]
    before, after = ("\n".join([*each, "last"]) + end for each in (old, new))
    assert applied(before, list(build_unified_diff(before, after, "x"))) == after
