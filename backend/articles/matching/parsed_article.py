"""Finds the correct and incorrect names in all fields of an article."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import groupby

from backend.articles.matching.author_intent import leave_to_author
from backend.articles.matching.consistency import apply_inconsistencies, find_inconsistencies
from backend.articles.matching.context_votes import ContextVotes
from backend.articles.matching.dated_names import judge_former_names
from backend.articles.matching.family_names import disable_auto_fix_for_family_names
from backend.articles.matching.first_mention import find_missing_forms
from backend.articles.matching.fixes import Fix, apply_fixes
from backend.articles.matching.former_names import Occurrence
from backend.articles.matching.matched_field import MatchedField
from backend.articles.matching.meanings import Meaning
from backend.articles.matching.name_cues import has_finance_word
from backend.articles.matching.namesakes import MAX_CUE_CHARS, disable_auto_fix_for_namesakes
from backend.articles.matching.rule_set import RuleSet
from backend.articles.model import FieldName
from backend.articles.schemas import Article
from backend.articles.slips.finder import add_slips
from backend.articles.slips.han_characters import leans_traditional
from backend.articles.text.article_date import find_article_date
from backend.articles.text.kept_breaks import keep_breaks
from backend.articles.text.language_detection import detect


class ParsedField:
    """A field with its names and corrections. All offsets are those of the field as given."""

    __slots__ = ("fixes", "found", "matched_field", "missing", "text")

    def __init__(self, matched_field: MatchedField) -> None:
        self.matched_field = matched_field
        self.text = matched_field.visible.source
        """The field as it was given."""
        self.found = _map_to_source(matched_field)
        fixes = [
            Fix(start, end, right, meaning.rule, meaning.rule.auto_fix)
            for start, end, meaning, right in matched_field.occurrences
            if right is not None and meaning.rule is not None
        ]
        missing = (
            find_missing_forms(matched_field, fixes)
            if matched_field.rules.mentions and matched_field.occurrences
            else []
        )
        self.fixes = _map_fixes_to_source(matched_field, fixes)
        """All deterministic corrections, sorted and disjoint."""
        self.missing = _map_fixes_to_source(matched_field, missing)
        """First mentions that lack their form."""

    def add_inconsistencies(self, occurrences: Iterable[Occurrence]) -> None:
        """Add ``occurrences``, whose names :attr:`matched_field` holds by now, and their corrections."""
        self.found = _map_to_source(self.matched_field)
        fixes = [
            Fix(start, end, right, meaning.rule, meaning.rule.auto_fix)
            for start, end, meaning, right in occurrences
            if right is not None and meaning.rule is not None
        ]
        missing_spans = [(fix.start, fix.end) for fix in self.missing]
        self.fixes += [
            fix
            for fix in _map_fixes_to_source(self.matched_field, fixes)
            if not any(fix.start < last and first < fix.end for first, last in missing_spans)
        ]
        self.fixes.sort(key=lambda fix: fix.start)

    def find_paragraph(self, position: int) -> int:
        """The number of the paragraph around ``position``."""
        return self.matched_field.evidence.find_paragraph(
            self.matched_field.visible.to_visible_offset(position)
        )


def _map_to_source(matched_field: MatchedField) -> list[Occurrence]:
    if matched_field.visible.is_unchanged:
        return matched_field.occurrences
    return [
        (*matched_field.to_source_span(start, end), meaning, right)
        for start, end, meaning, right in matched_field.occurrences
    ]


def _map_fixes_to_source(matched_field: MatchedField, fixes: list[Fix]) -> list[Fix]:
    """Map ``fixes`` to the source, with the breaks and markup that they span.

    A fix that cannot keep them is dropped.
    """
    placed = []
    for start, end, right, rule, auto in fixes:
        text = keep_breaks(matched_field.visible, start, end, right)
        if text is not None:
            placed.append(Fix(*matched_field.to_source_span(start, end), text, rule, auto))
    return placed


class ParsedArticle:
    """All fields of an article that contain text. ``language`` is given or detected."""

    def __init__(self, rules: RuleSet, article: Article) -> None:
        self.rules = rules
        self.article = article
        texts = list(_list_texts(article))
        self.language = article.language or detect(text for _, _, text in texts)
        self._matched_fields = [
            MatchedField(rules, text, path, field, self.language, self._is_traditional)
            for path, field, text in texts
        ]
        self._has_evidence: bool | None = None
        self._date: tuple[date | None] | None = None
        for (_, field, _), matched_field in zip(texts, self._matched_fields, strict=True):
            if field == "tags":
                matched_field.find_occurrences(self._has_article_evidence)
            else:
                matched_field.find_occurrences(ContextVotes(matched_field).has_context)
        index = rules.slip_index()
        if index is not None:
            for (_, field, _), matched_field in zip(texts, self._matched_fields, strict=True):
                has_evidence_near = (
                    matched_field.evidence.is_near if field in ("content", "summary") else self._is_of_field
                )
                add_slips(matched_field, index, has_evidence_near)
        self._review()
        self.fields = [ParsedField(matched_field) for matched_field in self._matched_fields]
        if rules.checks_consistency:
            self._add_inconsistencies()

    def _is_traditional(self) -> bool:
        """Whether a Chinese article is in Traditional characters."""
        return leans_traditional("\n".join(text for _, _, text in _list_texts(self.article)))

    def _has_article_evidence(self, _: int, __: int, ___: Meaning) -> bool:
        return self._is_of_field()

    def _is_of_field(self, _: int = 0) -> bool:
        """Whether there is evidence anywhere: a tag or title is too short to hold its own."""
        if self._has_evidence is None:
            self._has_evidence = any(
                matched_field.evidence.has_any() for matched_field in self._matched_fields
            )
        return self._has_evidence

    def _is_beside_evidence(self, matched_field: MatchedField, start: int, end: int) -> bool:
        """Whether the field's evidence, or a word of finance, stands beside a word."""
        if not matched_field.field_path.startswith(("content", "summary")):
            return self._is_of_field()
        text = matched_field.visible_text
        return matched_field.evidence.is_beside(start, end, MAX_CUE_CHARS) or has_finance_word(
            text[max(0, start - MAX_CUE_CHARS) : end + MAX_CUE_CHARS]
        )

    def _review(self) -> None:
        """Drop findings that the article's date or its author settles, and let doubtful ones ask."""
        for matched_field in self._matched_fields:
            disable_auto_fix_for_family_names(matched_field.visible_text, matched_field.occurrences)
            disable_auto_fix_for_namesakes(
                matched_field.visible_text,
                matched_field.occurrences,
                self.rules.entities,
                partial(self._is_beside_evidence, matched_field),
            )
            judge_former_names(
                matched_field.visible_text, matched_field.occurrences, self.rules.entities, self._find_date
            )
            matched_field.author_intent = leave_to_author(
                matched_field.visible_text, matched_field.occurrences, self.article.accept
            )

    def _add_inconsistencies(self) -> None:
        """Report minority forms last: they change nothing that other findings depend on."""
        inconsistencies = apply_inconsistencies(
            self._matched_fields,
            find_inconsistencies(self._matched_fields, self.rules.entities, self.language),
        )
        for number, field_inconsistencies in groupby(
            inconsistencies, key=lambda inconsistency: inconsistency.field
        ):
            self.fields[number].add_inconsistencies(
                inconsistency.occurrence for inconsistency in field_inconsistencies
            )

    def _find_date(self) -> date | None:
        """Find the article's date, once and only if a name depends on it."""
        if self._date is None:
            article = self.article
            texts = (article.title, article.summary, article.content)
            self._date = (find_article_date(article.date, (article.id, article.source), texts),)
        return self._date[0]

    @property
    def judging_date(self) -> tuple[date | None] | None:
        """The date that was used to judge former names; None if it is unknown or none was judged."""
        return self._date

    def corrected(self, fixes: Mapping[str, Sequence[Fix]]) -> Article:
        """The article with the corrections made that ``fixes`` gives by field."""
        changes: dict[str, object] = {}
        tags = list(self.article.tags)
        for field in self.fields:
            path, text = field.matched_field.field_path, field.text
            if not fixes.get(path):
                continue
            if path.startswith("tags"):
                tags[int(path[5:-1])] = apply_fixes(text, fixes[path])
            else:
                changes[path] = apply_fixes(text, fixes[path])
        return self.article.model_copy(update={**changes, "tags": tags})


def _list_texts(article: Article) -> Iterator[tuple[str, FieldName, str]]:
    """Path, field and text of all that is not empty, in the order of answers."""
    if article.title:
        yield "title", "title", article.title
    if article.summary:
        yield "summary", "summary", article.summary
    if article.content:
        yield "content", "content", article.content
    for index, tag in enumerate(article.tags):
        if tag:
            yield f"tags[{index}]", "tags", tag
