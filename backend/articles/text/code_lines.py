"""Finds code that stands in prose without any markup: shell commands, SQL, LaTeX, keys of JSON and YAML,
identifiers that name an image or the scope of a change.

Each kind is searched for only in a text that contains a mark of it. The time is linear: no expression goes
back over more than one line or 500 characters.
"""

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest

from ahocorasick_rs import AhoCorasick

Span = tuple[int, int]

_COMMAND = re.compile(
    r"(?<![\w/.-])(?:(?:pip3?|pipx|uv|conda|gem|brew|apt|apt-get|dnf|snap|cargo|poetry|composer|npm|yarn|pnpm"
    r"|bun|go|helm)[ \t]+(?:pip[ \t]+)?(?:install|uninstall|add|remove|require|upgrade|i)|npx"
    r"|docker[ \t]+(?:pull|run|push)|git[ \t]+clone|go[ \t]+get(?=[ \t]+[^\s/]+/))(?=[ \t])"
)
MAX_COMMAND_CHARS = 30
"""Characters around a mark of a command in which the command stands."""
_ARGUMENT = re.compile(r"[ \t]+([^\s,;:'\"`)}\]\u3000-\u30ff\u3400-\u9fff\uff00-\uff0f]++)")
_PACKAGE = re.compile(r"[A-Za-z@].*[-@/=_.]\w")
_COMMAND_LINE = re.compile(
    r"^[ \t]*+(?:sudo[ \t]+)?(?:cd|export|set|source|git|npm|npx|yarn|pnpm|bun|node|deno|python3?|pip3?|uv"
    r"|cargo|go|curl|wget|docker|make|cmake|cp|mv|mkdir|rm|ls|cat|echo|ssh|scp|tar|unzip|chmod|kubectl|helm"
    r"|java|ruby|forge|cast|anvil|hardhat|truffle|geth|solana|anchor|bitcoin-cli|bitcoind|lncli"
    r"|\./[\w./-]++)[ \t][!-~ \t]*+$",
    re.MULTILINE,
)
_SURELY_COMMAND = re.compile(r"[ \t]--?[A-Za-z]|&&|[|=<>]|\.(?:git|js|ts|py|sh|json|ya?ml|toml)\b|://|\./")
_SENTENCE_STOPS = ".!?:,;"
_PROMPT = re.compile(r"[$%❯] [a-z./~][^\n]*+")
_SQL = re.compile(
    r"(?:SELECT [^\n;]{1,500}?\bFROM|UPDATE [^\n;]{1,500}?\bSET|(?:INSERT|DELETE|CREATE|ALTER) [A-Z]+)\b"
    r"[^\n;]*+;?"
)
_LATEX_KEY = re.compile(
    r"\\(?:[A-Za-z]*(?:cite|ref)[A-Za-z]*|label|url|input|include|includegraphics|bibliography|usepackage"
    r"|documentclass|begin|end)\*?(?:\[[^\[\]\n]{0,200}+\])*+\{[^{}\n]{0,500}+\}"
)
_JSON_KEY = re.compile(r"\"[ \t]*+:(?=[ \t]*+(?:[\"{\[\d-]|true|false|null))")
MAX_KEY_CHARS = 100
_YAML_LINE = re.compile(
    r"\n[ \t]*+(?:-[ \t]++)?([A-Za-z_][\w.-]*+)[ \t]?:"
    r"(?:[ \t]++([\"'\[{|>&*][^\n]*+|[^\s#]++))?[ \t\r]*+(?=\n|\Z)"
)
_IMAGE_NAME = re.compile(r"!\[[\w.-]{1,40}\](?=[(\[])")
_SCOPE = re.compile(r"[ \t]*[-*+][ \t]+\*\*[a-z@][\w./@-]*")
MAX_SCOPE_CHARS = 80
_YAML_VALUE = re.compile(r"true|false|null|[\"'\[{|>&*].*")


def code_line_spans(text: str) -> Iterator[Span]:
    """Generate the spans of code in ``text`` that no markup shows. They may overlap."""
    marks = _MARK_FINDER.find_matches_as_indexes(text)
    done: dict[_SpanAtMark, int] = {}
    for mark, start, _ in marks:
        find_span = _MARKS[mark][1]
        if start >= done.get(find_span, 0):
            span = find_span(text, start)
            if span:
                done[find_span] = span[1]
                yield span
    yield from _command_lines(text)
    if "\\" in text and "{" in text:
        yield from (found.span() for found in _LATEX_KEY.finditer(text))
    if ":\n" in text or ": " in text:
        yield from _yaml_keys(text)


def _find_command(text: str, start: int) -> Span | None:
    """Find the call of a package manager: its options, its package, and what else looks like a package."""
    command = _COMMAND.search(text, max(0, start - MAX_COMMAND_CHARS), start + MAX_COMMAND_CHARS)
    arguments_end = _end_of_arguments(text, command.end()) if command else 0
    return (command.start(), arguments_end) if command and arguments_end else None


def _end_of_arguments(text: str, end: int) -> int:
    """Return the end of a command's arguments; 0 if it names no package."""
    has_package = False
    while argument := _ARGUMENT.match(text, end):
        word = argument.group(1)
        is_option = word.startswith("-")
        if has_package and not is_option and not _PACKAGE.match(word):
            break
        has_package = has_package or not is_option
        end = argument.end() - (len(word) - len(word.rstrip(".!?")))
        if end < argument.end():
            break
    return end if has_package else 0


def _command_lines(text: str) -> Iterator[Span]:
    """Generate neighbouring lines that begin with a command, if one of them can be nothing else."""
    block: list[re.Match[str]] = []
    for line in [*_COMMAND_LINE.finditer(text), None]:
        if line is not None and line.group().rstrip()[-1] in _SENTENCE_STOPS:
            continue
        if block and (line is None or line.start() != block[-1].end() + 1):
            if any(_SURELY_COMMAND.search(each.group()) for each in block):
                yield block[0].start(), block[-1].end()
            block = []
        if line is not None:
            block.append(line)


def _find_prompt_line(text: str, start: int) -> Span | None:
    """Find the line that begins with the prompt of a shell at ``start``."""
    line = _PROMPT.match(text, start)
    line_start = text.rfind("\n", max(0, start - MAX_KEY_CHARS), start) + 1
    opens_line = not text[line_start:start].strip() and (line_start or start < MAX_KEY_CHARS)
    return line.span() if line and opens_line else None


def _find_statement(text: str, start: int) -> Span | None:
    """Find a statement of SQL up to its semicolon or the end of its line."""
    found = _SQL.match(text, start)
    return found.span() if found else None


def _find_json_key(text: str, start: int) -> Span | None:
    """Find the quoted key that ends at ``start`` if it opens an object or a line, or follows a comma."""
    if not _JSON_KEY.match(text, start):
        return None
    opening = text.rfind('"', max(0, start - MAX_KEY_CHARS), start)
    if opening < 0 or "\n" in text[opening:start]:
        return None
    before = text[max(0, opening - MAX_KEY_CHARS) : opening].rstrip(" \t")
    return (opening, start + 1) if not before or before[-1] in "{,\n" else None


def _find_image_name(text: str, start: int) -> Span | None:
    """Find the single word that describes an image, as an identifier does: ``![bitgo](logo.png)``."""
    found = _IMAGE_NAME.match(text, start)
    return found.span() if found else None


def _find_scope(text: str, start: int) -> Span | None:
    """Find what a line of a changelog is about, in small letters: ``- **bitgo:** fix a leak``."""
    line_start = text.rfind("\n", max(0, start - MAX_SCOPE_CHARS), start) + 1
    opens_text = line_start or start < MAX_SCOPE_CHARS
    return (line_start, start) if opens_text and _SCOPE.fullmatch(text, line_start, start) else None


_SpanAtMark = Callable[[str, int], Span | None]
_MARKS: tuple[tuple[str, _SpanAtMark], ...] = (
    *((f"{verb} ", _find_command) for verb in ("install", "npx", "go get", "docker", "git clone")),
    *((f" {verb} ", _find_command) for verb in ("add", "remove", "require", "upgrade", "i")),
    *((f"{sign} ", _find_prompt_line) for sign in "$%❯"),
    *((f"{verb} ", _find_statement) for verb in ("SELECT", "UPDATE", "INSERT INTO", "DELETE FROM")),
    *((f"{verb} TABLE ", _find_statement) for verb in ("CREATE", "ALTER")),
    ('":', _find_json_key),
    ('" :', _find_json_key),
    ("![", _find_image_name),
    (":** ", _find_scope),
    ("**: `", _find_scope),
)
"""Texts that the kinds of code contain, and what finds the code around each."""
_MARK_FINDER = AhoCorasick([mark for mark, _ in _MARKS])


def _yaml_keys(text: str) -> Iterator[Span]:
    """Generate the keys of neighbouring lines that read like YAML, at least one of them without any doubt."""
    block: list[re.Match[str]] = []
    for line in [*_YAML_LINE.finditer("\n" + text), None]:
        if block and (line is None or line.start() != block[-1].end()):
            if len(block) > 1 and any(_is_surely_yaml(*pair) for pair in zip_longest(block, block[1:])):
                yield from ((each.start(1) - 1, each.end(1) - 1) for each in block)
            block = []
        if line is not None:
            block.append(line)


def _is_surely_yaml(line: re.Match[str], following: re.Match[str] | None) -> bool:
    key, value = line.groups()
    if value is not None:
        return "_" in key or _YAML_VALUE.fullmatch(value) is not None
    return following is not None and following.start(1) - following.start() > line.start(1) - line.start()
