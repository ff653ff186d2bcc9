"""Builds a unified diff of a text and its correction. Corrections never span lines, so lines pair off."""

from collections.abc import Iterator

CONTEXT_LINES = 3


def build_unified_diff(before: str, after: str, name: str) -> Iterator[str]:
    """Yield the lines of the diff, each with its newline; none without changes."""
    old, new = _split_lines(before), _split_lines(after)
    if len(old) != len(new):
        raise ValueError("the texts have different numbers of lines, which a correction never makes")
    changed = [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if not changed:
        return
    yield f"--- a/{name}\n"
    yield f"+++ b/{name}\n"
    for start, end in _find_hunks(changed, len(old)):
        yield f"@@ -{start + 1},{end - start} +{start + 1},{end - start} @@\n"
        k = start
        while k < end:
            if old[k] == new[k]:
                yield from _format_line(" ", old[k])
                k += 1
                continue
            first = k
            while k < end and old[k] != new[k]:
                k += 1
            for line in old[first:k]:
                yield from _format_line("-", line)
            for line in new[first:k]:
                yield from _format_line("+", line)


def _split_lines(text: str) -> list[str]:
    """Split into lines with their newline; the last one can lack it."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _find_hunks(changed: list[int], lines: int) -> Iterator[tuple[int, int]]:
    start, end = max(0, changed[0] - CONTEXT_LINES), 0
    for k in changed:
        if end and k - CONTEXT_LINES > end:
            yield start, end
            start = k - CONTEXT_LINES
        end = min(lines, k + CONTEXT_LINES + 1)
    yield start, end


def _format_line(sign: str, line: str) -> Iterator[str]:
    yield sign + line
    if not line.endswith("\n"):
        yield "\n\\ No newline at end of file\n"
