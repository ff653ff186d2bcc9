"""A unified diff of a text and its correction. Corrections never span lines, so that lines pair off."""

from collections.abc import Iterator

CONTEXT = 3


def unified(before: str, after: str, name: str) -> Iterator[str]:
    """Lines of the diff, each with its newline; none where nothing changed."""
    old, new = _lines(before), _lines(after)
    if len(old) != len(new):
        raise ValueError("the texts have different numbers of lines, which a correction never makes")
    changed = [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if not changed:
        return
    yield f"--- a/{name}\n"
    yield f"+++ b/{name}\n"
    for start, end in _hunks(changed, len(old)):
        yield f"@@ -{start + 1},{end - start} +{start + 1},{end - start} @@\n"
        k = start
        while k < end:
            if old[k] == new[k]:
                yield from _told(" ", old[k])
                k += 1
                continue
            first = k
            while k < end and old[k] != new[k]:
                k += 1
            for line in old[first:k]:
                yield from _told("-", line)
            for line in new[first:k]:
                yield from _told("+", line)


def _lines(text: str) -> list[str]:
    """Lines with their newline, which the last one may lack."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _hunks(changed: list[int], lines: int) -> Iterator[tuple[int, int]]:
    start, end = max(0, changed[0] - CONTEXT), 0
    for k in changed:
        if end and k - CONTEXT > end:
            yield start, end
            start = k - CONTEXT
        end = min(lines, k + CONTEXT + 1)
    yield start, end


def _told(sign: str, line: str) -> Iterator[str]:
    yield sign + line
    if not line.endswith("\n"):
        yield "\n\\ No newline at end of file\n"
