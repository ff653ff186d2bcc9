"""An article as the rules read it: all its fields, each with what is wrong in it and what is right."""

from collections.abc import Iterator, Mapping, Sequence

from backend.articles.matching.context_votes import ContextVotes
from backend.articles.matching.field_matcher import FieldMatcher
from backend.articles.matching.first_mention import missing_forms
from backend.articles.matching.fixes import Fix, fixed
from backend.articles.matching.meanings import Meaning
from backend.articles.matching.rule_set import RuleSet
from backend.articles.model import FieldName
from backend.articles.schemas import Article
from backend.articles.text.language_detection import detect


class ParsedField:
    """One field: what was found and what may be corrected."""

    __slots__ = ("fixes", "missing", "reading")

    def __init__(self, reading: FieldMatcher) -> None:
        self.reading = reading
        self.fixes = [
            Fix(start, end, right, meaning.rule, meaning.rule.auto_fix)
            for start, end, meaning, right in reading.found
            if right is not None and meaning.rule is not None
        ]
        """All deterministic corrections, sorted and disjoint."""
        self.missing: list[Fix] = []
        """First mentions that lack their form."""
        if reading.rules.mentions and reading.found:
            self.missing = missing_forms(reading, self.fixes)


class ParsedArticle:
    """All fields of an article that hold text. ``language`` is the given one or found out."""

    def __init__(self, rules: RuleSet, article: Article) -> None:
        self.rules = rules
        self.article = article
        texts = list(_texts(article))
        self.language = article.language or detect(text for _, _, text in texts)
        self._readings = [
            FieldMatcher(rules, text, path, field, self.language) for path, field, text in texts
        ]
        self._tells: bool | None = None
        for (_, field, _), reading in zip(texts, self._readings, strict=True):
            if field == "tags":
                reading.choose(self._article_tells)
            else:
                reading.choose(ContextVotes(reading).has_context)
        self.fields = [ParsedField(reading) for reading in self._readings]

    def _article_tells(self, _: int, __: int, ___: Meaning) -> bool:
        """Whether there is evidence anywhere: a tag is too short to hold its own."""
        if self._tells is None:
            self._tells = any(reading.evidence.anywhere() for reading in self._readings)
        return self._tells

    def corrected(self, fixes: Mapping[str, Sequence[Fix]]) -> Article:
        """The article with the corrections made that ``fixes`` gives by field."""
        changes: dict[str, object] = {}
        tags = list(self.article.tags)
        for field in self.fields:
            path, text = field.reading.path, field.reading.text
            if not fixes.get(path):
                continue
            if path.startswith("tags"):
                tags[int(path[5:-1])] = fixed(text, fixes[path])
            else:
                changes[path] = fixed(text, fixes[path])
        return self.article.model_copy(update={**changes, "tags": tags})


def _texts(article: Article) -> Iterator[tuple[str, FieldName, str]]:
    """Path, field and text of all that is not empty, in the order of answers."""
    if article.title:
        yield "title", "title", article.title
    if article.summary:
        yield "summary", "summary", article.summary
    if article.content:
        yield "content", "content", article.content
    for k, tag in enumerate(article.tags):
        if tag:
            yield f"tags[{k}]", "tags", tag
