"""Every text exists in every language and is used, and every used text exists."""

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dashboard.i18n import LANGUAGES, catalogue, match_locale, t

SOURCES = Path(__file__).parents[2] / "dashboard"
NAMESPACES = sorted({key.split(".")[0] for key in catalogue()})
KEY = re.compile(rf"({'|'.join(NAMESPACES)})\.[a-z0-9_]+")

WIDE = "[\u3040-\u30ff\u3400-\u9fff]"
HALF_WIDTH = re.compile(rf"{WIDE}[:,;!?()]|{WIDE} \(|[:,;!?(] ?{WIDE}|\) ?{WIDE}")


@cache
def parse_sources() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCES.rglob("*.py"))}


def find_text_calls() -> Iterator[tuple[Path, ast.expr]]:
    """Finds the first argument of every call of ``t``."""
    for path, tree in parse_sources().items():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "t"
                and node.args
            ):
                yield path, node.args[0]


def find_string_constants() -> set[str]:
    """Finds every string of the sources outside of f-strings."""
    found: set[str] = set()
    for tree in parse_sources().values():
        nodes = list(ast.walk(tree))
        pieces = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        found |= {
            node.value
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in pieces
        }
    return found


def key_pattern(node: ast.expr) -> re.Pattern[str] | None:
    """Builds the pattern of the keys that an f-string (``f"overview.span_{code}"``) can produce."""
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = [str(part.value) if isinstance(part, ast.Constant) else None for part in node.values]
    if not all(re.fullmatch(r"[a-z0-9_.]+", part) for part in parts if part is not None):
        return None
    return re.compile("".join("[a-z0-9_]+" if part is None else re.escape(part) for part in parts))


def find_key_patterns() -> list[re.Pattern[str]]:
    return [pattern for _, argument in find_text_calls() if (pattern := key_pattern(argument))]


def find_prefixing_namespaces() -> tuple[set[str], list[re.Pattern[str]]]:
    """Finds namespaces with a function that prefixes names, and the patterns of names it may get."""
    prefixing = {
        namespace
        for namespace in NAMESPACES
        if re.compile(rf"{namespace}\.[a-z0-9_]+") in find_key_patterns()
    }
    found = [
        key_pattern(node)
        for tree in parse_sources().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
    ]
    return prefixing, [
        pattern
        for pattern in found
        if pattern and re.search(r"[a-z]", pattern.pattern.replace("[a-z0-9_]+", ""))
    ]


@pytest.mark.parametrize("key", sorted(catalogue()))
def test_every_text_has_all_languages_with_the_same_placeholders(key: str) -> None:
    versions = catalogue()[key]
    assert set(versions) == set(LANGUAGES)
    assert all(text.strip() for text in versions.values())
    fields = {
        lang: {name for _, name, _, _ in string.Formatter().parse(text) if name}
        for lang, text in versions.items()
    }
    assert len(set(map(frozenset, fields.values()))) == 1, fields


@pytest.mark.parametrize("key", sorted(catalogue()))
def test_japanese_and_chinese_texts_have_full_width_punctuation(key: str) -> None:
    versions = catalogue()[key]
    assert [versions[lang] for lang in ("ja", "zh") if HALF_WIDTH.search(versions[lang])] == []
    assert [text for text in versions.values() if re.search(r"[\d}] %", text)] == []


def test_every_used_key_exists() -> None:
    used = {str(argument.value) for _, argument in find_text_calls() if isinstance(argument, ast.Constant)}
    keys_in_strings = {
        value
        for value in find_string_constants()
        if KEY.fullmatch(value) and not value.endswith((".css", ".js"))
    }
    assert sorted((used | keys_in_strings) - set(catalogue())) == []
    assert [
        pattern.pattern for pattern in find_key_patterns() if not any(map(pattern.fullmatch, catalogue()))
    ] == []


def test_every_key_is_used() -> None:
    words = find_string_constants()
    prefixing, names = find_prefixing_namespaces()
    specific = [
        pattern
        for pattern in find_key_patterns()
        if not any(pattern.fullmatch(f"{name}.x") for name in prefixing)
    ]

    def is_used(key: str) -> bool:
        namespace, name = key.split(".", 1)
        if key in words or any(pattern.fullmatch(key) for pattern in specific):
            return True
        return namespace in prefixing and (name in words or any(pattern.fullmatch(name) for pattern in names))

    assert [key for key in catalogue() if not is_used(key)] == []


def test_keys_are_literals_or_f_strings_and_never_plain_variables() -> None:
    opaque = [
        (path.name, argument.lineno)
        for path, argument in find_text_calls()
        if not isinstance(argument, ast.Constant | ast.JoinedStr | ast.Subscript | ast.IfExp)
    ]
    assert not opaque


def test_texts_fill_their_placeholders_in_the_given_language() -> None:
    assert t("frame.refresh_seconds", lang="ja", n="5") == "5秒"
    assert t("frame.settings", lang="zh") == "设置"
    with pytest.raises(KeyError):
        t("frame.no_such_text")


@pytest.mark.parametrize(
    ("locale", "code"),
    [
        ("ja-JP", "ja"),
        ("zh-Hant-TW", "zh"),
        ("zh_CN", "zh"),
        ("en-GB", "en"),
        ("de", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_the_browser_locale_determines_the_first_language(locale: str | None, code: str) -> None:
    assert match_locale(locale) == code


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1 topic"), ("1", "1 topic"), (0, "0 topics"), ("1,200", "1,200 topics")]
)
def test_a_noun_follows_the_number(number: object, text: str) -> None:
    assert t("topics.count", lang="en", n=number) == text
