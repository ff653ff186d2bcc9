"""Converts rule drafts of all importers to rules, and lists those that cannot be converted."""

import re
import unicodedata
import zlib
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from backend.articles.importers.regex_expansion import Expansion, UnsupportedRegexError
from backend.articles.model import Boundary, Pattern, Rule, RuleExample, Severity, ViolationType
from backend.articles.rules.pack_checks import check_rule
from backend.articles.rules.validation_messages import describe_errors
from backend.articles.text.common_words import MIN_UNCONDITIONAL_CHARS, load_common_words
from backend.articles.text.folding import fold
from backend.entities.model import LANGUAGES, Entity, Language

KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_WORD_ASCII = re.compile(r"\w", re.ASCII)


@dataclass(frozen=True, slots=True)
class Skipped:
    """An item of the source that is not imported, and the reason."""

    file: Path
    line: int
    what: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.file.name}:{self.line}" if self.line else self.file.name
        return f"{place}: {self.what}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A rule as the source defines it."""

    file: Path
    line: int
    suggest: str | tuple[str, ...]
    """One name, several for the editor to choose from, or none if the source has none."""
    patterns: tuple[Pattern, ...]
    specs: tuple[tuple[str, str], ...] = ()
    """Examples of the source: wrong text and corrected text."""
    boundary: Boundary = "auto"
    case: Literal["exact", "any"] = "exact"
    severity: Severity = "warning"
    auto_fix: bool = False
    languages: tuple[Language, ...] = ()
    """If empty: Japanese for rules with kana, else all languages."""
    note: str | None = None

    @property
    def what(self) -> str:
        shown = self.suggest if isinstance(self.suggest, str) else " or ".join(self.suggest)
        return shown or ", ".join(pattern.text for pattern in self.patterns[:3])


@dataclass(slots=True)
class ImportResult:
    """The result of importing one source."""

    file: Path
    format: str
    entities: list[Entity] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    places: dict[str, tuple[Path, int]] = field(default_factory=dict)
    """File and line in the source by rule id."""
    _by_content: dict[str, Rule] = field(default_factory=dict)
    """Rules by all that they say, so that a repetition is found without a comparison with each."""
    _numbers: dict[str, int] = field(default_factory=dict)
    """How often an id was wanted."""

    def skip(self, file: Path, line: int, what: str, reason: str) -> None:
        self.skipped.append(Skipped(file, line, what, reason))

    def add(self, draft: Draft) -> None:
        """Add ``draft`` as a rule, or as skipped."""
        rule = build_rule(draft, self._unused_id(draft))
        if isinstance(rule, str):
            self.skip(draft.file, draft.line, draft.what, rule)
            return
        twin = self._by_content.setdefault(rule.model_dump_json(exclude={"id", "source"}), rule)
        if twin is not rule:
            self.skip(draft.file, draft.line, draft.what, f"it repeats the rule of {twin.source}")
            return
        self.rules.append(rule)
        self.places[rule.id] = draft.file, draft.line

    def _unused_id(self, draft: Draft) -> str:
        suggestion = draft.suggest if isinstance(draft.suggest, str) else "-".join(draft.suggest)
        wanted = f"{slug(self.file.stem)}-{slug(suggestion or draft.what)}"[:90].strip("-.")
        return make_unique(wanted, self.places, self._numbers)


def make_unique(wanted: str, taken: Container[str], numbers: dict[str, int]) -> str:
    """Return ``wanted``, numbered if it is ``taken``. ``numbers`` remembers the last number of each id."""
    given = wanted
    while given in taken:
        numbers[wanted] = numbers.get(wanted, 1) + 1
        given = f"{wanted}-{numbers[wanted]}"
    return given


def build_rule(draft: Draft, rule_id: str) -> Rule | str:
    """Build the rule of ``draft``; returns the reason if it is invalid."""
    patterns = [
        _spare_own_suggestion(pattern, draft)
        for pattern in draft.patterns
        if not _matches_only_correct_form(pattern, draft)
    ]
    if not patterns:
        return "it has no wrong form"
    auto_fix = draft.auto_fix and isinstance(draft.suggest, str) and not _needs_condition(patterns, draft)
    given = {
        "id": rule_id,
        "type": _type(patterns, draft.suggest),
        "languages": draft.languages or _languages(draft),
        "match": [_simplify(pattern) for pattern in patterns],
        "suggest": draft.suggest,
        "auto_fix": auto_fix,
        "severity": draft.severity,
        "case": draft.case,
        "boundary": draft.boundary,
        "note": draft.note or None,
        "source": f"{draft.file.name}, line {draft.line}" if draft.line else draft.file.name,
        "specs": _specs(draft, patterns),
    }
    try:
        rule = Rule.model_validate(given)
    except ValidationError as error:
        return _describe(error, given)
    return next((sentence for _, sentence in check_rule(rule)), rule)


def build_patterns(
    expansions: Iterable[Expansion], *, boundary: Boundary, must_be_empty: int | None = None
) -> list[tuple[Pattern, Expansion]]:
    """Build a pattern for each expansion. Expansions whose group ``must_be_empty`` is filled become
    exclusions.

    :raises UnsupportedRegexError: if an expansion has no equivalent pattern.
    """
    kept: list[Expansion] = []
    ignored: list[Expansion] = []
    for expansion in expansions:
        filled = must_be_empty is not None and expansion.groups.get(must_be_empty)
        (ignored if filled else kept).append(expansion)
    return [(_pattern(expansion, ignored, boundary), expansion) for expansion in kept]


def build_pattern(text: str, **conditions: Any) -> Pattern:
    """Build a pattern of ``text``.

    :raises UnsupportedRegexError: if it is invalid.
    """
    given = {"text": text, **conditions}
    try:
        return Pattern.model_validate(given)
    except ValidationError as error:
        raise UnsupportedRegexError(_describe(error, given)) from None


def slug(text: str) -> str:
    """Convert ``text`` to part of an id; a checksum stands for non-Latin letters."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = "-".join(re.findall(r"[a-z0-9]+", plain))
    if any(unicodedata.category(c)[0] == "L" and ord(c) > 0x2FF for c in text) or not words:
        words = f"{words}-{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}".lstrip("-")
    return words[:60].strip("-")


def _pattern(expansion: Expansion, ignored: Sequence[Expansion], boundary: Boundary) -> Pattern:
    text = expansion.text
    if expansion.word_start != expansion.word_end:
        raise UnsupportedRegexError("it needs a word boundary at one side only")
    if expansion.word_start:
        if not (_WORD_ASCII.match(text[0]) and _WORD_ASCII.match(text[-1])):
            raise UnsupportedRegexError(
                "it needs a word boundary beside a character other than a Latin letter or digit"
            )
        boundary = "word"
    before, after = list(expansion.not_before), list(expansion.not_after)
    for longer in ignored:
        if longer.text.endswith(text):
            after.append(longer.text.removesuffix(text))
        elif longer.text.startswith(text):
            before.append(longer.text.removeprefix(text))
        else:
            raise UnsupportedRegexError(
                f"the text that it ignores ({longer.text}) must start or end with a text that it matches"
            )
    return build_pattern(
        text,
        not_before=tuple(before),
        not_after=tuple(after),
        boundary=None if boundary == "auto" else boundary,
    )


def _describe(error: ValidationError, given: dict[str, Any]) -> str:
    return "; ".join(dict.fromkeys(words for _, words in describe_errors(error.errors(), given)))


def _matches_only_correct_form(pattern: Pattern, draft: Draft) -> bool:
    """True if the pattern matches only the correct form."""
    exact = (pattern.case or draft.case) == "exact"
    caseless = pattern.text.lower() == pattern.text.upper()
    return pattern.text == draft.suggest and (exact or caseless)


def _spare_own_suggestion(pattern: Pattern, draft: Draft) -> Pattern:
    """Let the pattern stop before what its suggestion adds behind a word: chatbot, suggested Chatbot(s).

    Elsewhere the suggestion itself is a shield, but not where the wrong form ends at a word boundary in it.
    """
    if not isinstance(draft.suggest, str):
        return pattern
    wrong, right = fold(pattern.text).text, fold(draft.suggest).text
    rest = right.removeprefix(wrong)
    if rest in ("", right) or rest[0].isalnum():
        return pattern
    return pattern.model_copy(update={"not_before": (*pattern.not_before, rest)})


def _needs_condition(patterns: Sequence[Pattern], draft: Draft) -> bool:
    """Whether a pattern is an ordinary word or very short, so that ``rules check`` asks for a condition that
    no source can express. Such a rule needs approval."""
    return any(
        not (pattern.not_before or pattern.not_after)
        and (len(fold(pattern.text).text) < MIN_UNCONDITIONAL_CHARS or _is_common_word(pattern, draft))
        for pattern in patterns
    )


def _is_common_word(pattern: Pattern, draft: Draft) -> bool:
    exact = (pattern.case or draft.case) == "exact" and pattern.text != pattern.text.lower()
    return not exact and any(fold(pattern.text).text in words for words in load_common_words().values())


def _simplify(pattern: Pattern) -> str | Pattern:
    return pattern.text if pattern == Pattern(text=pattern.text) else pattern


def _type(patterns: Sequence[Pattern], suggest: str | tuple[str, ...]) -> ViolationType:
    if not isinstance(suggest, str):
        return "ambiguous" if suggest else "forbidden_variant"
    right = fold(suggest).text
    wrong = {fold(pattern.text).text for pattern in patterns}
    if wrong == {right}:
        return "wrong_case"
    if {_joined(text) for text in wrong} == {_joined(right)}:
        return "wrong_spacing"
    return "forbidden_variant"


def _joined(text: str) -> str:
    return re.sub(r"[\s-]", "", text)


def _languages(draft: Draft) -> tuple[Language, ...]:
    names = (draft.suggest,) if isinstance(draft.suggest, str) else draft.suggest
    texts = [*names, *(pattern.text for pattern in draft.patterns)]
    return ("ja",) if any(KANA.search(text) for text in texts) else LANGUAGES


def _specs(draft: Draft, patterns: Sequence[Pattern]) -> tuple[RuleExample, ...]:
    """Return the source's examples, else one with the first wrong form."""
    if draft.specs:
        return tuple(RuleExample.model_validate({"from": given, "to": to}) for given, to in draft.specs)
    if not isinstance(draft.suggest, str):
        wrong = patterns[0].text
        return (RuleExample.model_validate({"from": wrong, "to": wrong, "finds": True}),)
    forms = [form for pattern in patterns for form in _forms(pattern, draft)]
    wrong = next(form for form in forms if form != draft.suggest)
    # At the start of a sentence, a lower-case suggestion would be capitalised like the text it replaces.
    before = "the " if wrong[0].isupper() and draft.suggest[0].islower() else ""
    return (RuleExample.model_validate({"from": before + wrong, "to": before + draft.suggest}),)


def _forms(pattern: Pattern, draft: Draft) -> list[str]:
    """List texts that the pattern matches."""
    text = pattern.text
    if (pattern.case or draft.case) == "exact":
        return [text]
    return [text, text.lower(), text.upper()]
