"""Laws that hold for any rules and any article."""

import itertools
import random
import unicodedata

import orjson
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from backend.articles.engine import apply, apply_and_scan, correct, scan
from backend.articles.matching.fixpoint import find_fixpoint
from backend.articles.matching.parsed_article import ParsedArticle
from backend.articles.matching.rule_set import RuleSet, compile_rules
from backend.articles.model import Pack, Rule, RuleExample
from backend.articles.schemas import Article, Correction, ScanResult
from backend.articles.text.folding import fold
from backend.articles.text.protection import protected_spans
from backend.entities.model import Entity, Language
from tests.backend.articles.strategies import NAMES, PIECES, entities, languages, packs, texts
from tests.support.test_session.property_tests import examples

lawful = settings(max_examples=examples(60), deadline=None)

anything = st.one_of(texts(), st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
articles = st.builds(
    Article,
    id=st.none() | st.just("a1"),
    title=st.none() | texts(max_pieces=4),
    summary=st.none() | texts(max_pieces=4),
    content=st.none() | anything,
    tags=st.lists(texts(max_pieces=2), max_size=3),
    language=st.none() | languages,
)


def field_of(article: Article, path: str) -> str:
    text = article.tags[int(path[5:-1])] if path.startswith("tags[") else getattr(article, path)
    assert isinstance(text, str)
    return text


def made(text: str, corrections: list[Correction]) -> str:
    """``text`` with ``corrections`` made from the last to the first."""
    for correction in reversed(corrections):
        start, end = correction["start_offset"], correction["end_offset"]
        text = text[:start] + correction["corrected_text"] + text[end:]
    return text


def fields(article: Article) -> list[str]:
    named = [path for path in ("title", "summary", "content") if getattr(article, path) is not None]
    return named + [f"tags[{k}]" for k in range(len(article.tags))]


def again(result: dict[str, object] | object) -> Article:
    return Article.model_validate(result)


def spans(rules: RuleSet, text: str, language: Language) -> list[tuple[int, int, str | None]]:
    result = scan(rules, Article(content=text, language=language))
    return [(m["start_offset"], m["end_offset"], m["entity_id"]) for m in result["matches"]]


@lawful
@given(packs(), articles)
def test_offsets_point_to_the_matched_text(pack: Pack, article: Article) -> None:
    result = scan(compile_rules([pack]), article)
    for found in (*result["matches"], *result["violations"]):
        text = field_of(article, found["field"])
        assert text[found["start_offset"] : found["end_offset"]] == found["matched_text"] != ""
    for correction in result["corrections"]:
        text = field_of(article, correction["field"])
        start, end = correction["start_offset"], correction["end_offset"]
        assert text[start:end] == correction["original_text"] != correction["corrected_text"]


@lawful
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_source_spans_of_folded_text_cover_the_original_in_order(text: str) -> None:
    folded = fold(text)
    assert fold(folded.text).text == folded.text
    places = [folded.to_original(at, at) for at in range(len(folded.text) + 1)]
    originals = [place[0] for place in places if place is not None]
    assert originals == sorted(originals)
    assert originals[0] == 0
    assert originals[-1] == len(text)
    for at in range(len(folded.text) + 1):
        source = folded.to_original(at, at)
        assert source is None or folded.from_original(source[0]) == at


@lawful
@given(packs(), articles)
def test_applying_the_listed_corrections_gives_the_corrected_article(pack: Pack, article: Article) -> None:
    result = scan(compile_rules([pack]), article)
    corrected = again(result["corrected_article"])
    for path in fields(article):
        own = [c for c in result["corrections"] if c["field"] == path]
        for one, other in itertools.pairwise(own):
            assert one["end_offset"] <= other["start_offset"]
        assert made(field_of(article, path), own) == field_of(corrected, path)


@lawful
@given(packs(), articles)
def test_a_corrected_article_has_no_further_corrections(pack: Pack, article: Article) -> None:
    rules = compile_rules([pack])
    read = ParsedArticle(rules, article)
    every = {field.matched_field.field_path: field.fixes for field in read.fields if field.fixes}
    # What is held back would make something new: it is shown for approval, and the editor sees what follows.
    assume(find_fixpoint(read, every)[0] == every)
    result = scan(rules, article)
    assert scan(rules, again(result["corrected_article"]))["corrections"] == []


@lawful
@given(packs(), articles)
def test_apply_is_idempotent(pack: Pack, article: Article) -> None:
    rules = compile_rules([pack])
    once = apply(rules, article)
    twice = apply(rules, again(once["corrected_article"]))
    assert twice["applied_count"] == 0
    assert twice["corrected_article"] == once["corrected_article"]


@lawful
@given(packs(), articles)
def test_apply_and_scan_equals_apply_then_scan(pack: Pack, article: Article) -> None:
    rules = compile_rules([pack])
    applied = apply(rules, article)
    corrected = article.model_copy(update=applied["corrected_article"])
    assert apply_and_scan(rules, article) == (applied, scan(rules, corrected))


@lawful
@given(packs(), articles)
def test_apply_makes_exactly_the_auto_fixable_corrections(pack: Pack, article: Article) -> None:
    rules = compile_rules([pack])
    result, applied = scan(rules, article), apply(rules, article)
    assert applied["applied"] == [c for c in result["corrections"] if c["auto_fixable"]]
    assert applied["applied_count"] == len(applied["applied"])


@lawful
@given(packs(), articles)
def test_a_correction_needs_approval_unless_its_rule_is_automatic(pack: Pack, article: Article) -> None:
    rules = compile_rules([pack])
    auto = {rule.id: rule.auto_fix for rule in rules.rules}
    ambiguous = {rule.id for rule in rules.rules if rule.type == "ambiguous"}
    result = scan(rules, article)
    for correction in result["corrections"]:
        assert correction["requires_approval"] is not correction["auto_fixable"]
        assert auto[correction["rule_id"]] or correction["requires_approval"]
        assert correction["rule_id"] not in ambiguous
    fixable = {
        (c["field"], c["start_offset"], c["rule_id"]) for c in result["corrections"] if c["auto_fixable"]
    }
    assert fixable == {
        (v["field"], v["start_offset"], v["rule_id"]) for v in result["violations"] if v["auto_fixable"]
    }
    for violation in result["violations"]:
        assert (violation["suggested_name"] is None) == (violation["rule_id"] in ambiguous)


@lawful
@given(
    st.data(),
    languages,
    st.sampled_from(["{}", "({})", "“{}”", "the {} is", "{}は", "在{}上", "{}’s fee", "x\n{}\ny"]),
)
def test_a_right_name_alone_is_never_a_violation(data: st.DataObject, language: Language, frame: str) -> None:
    entity = data.draw(entities(0))
    former = {fold(old.name).text for old in entity.former}
    for name in entity.names.values():
        assume(fold(name).text not in former)
        result = scan(
            compile_rules([Pack(version=1, entities=(entity,))]),
            Article(content=frame.format(name), language=language),
        )
        inside = [v for v in result["violations"] if v["matched_text"] == name]
        assert inside == []


@lawful
@given(packs(), articles)
def test_corrections_change_no_protected_text(pack: Pack, article: Article) -> None:
    result = scan(compile_rules([pack]), article)
    for violation in result["violations"]:
        for start, end in protected_spans(field_of(article, violation["field"])):
            # A link around a part of a name is inside it.
            outside = violation["end_offset"] <= start or end <= violation["start_offset"]
            assert outside or violation["start_offset"] < start < end < violation["end_offset"]
    for correction in result["corrections"]:
        text = field_of(article, correction["field"])
        for start, end in protected_spans(text):
            if correction["start_offset"] < start < end < correction["end_offset"]:
                assert text[start:end] in correction["corrected_text"]


@lawful
@given(packs(), texts(markup=False), st.sampled_from(PIECES), languages)
@example(Pack(version=1, entities=(Entity(id="a", type="asset", names={"en": "Aba"}),)), "Aba", "aba", "en")
def test_names_in_code_do_not_affect_the_surrounding_text(
    pack: Pack, text: str, name: str, language: Language
) -> None:
    rules = compile_rules([pack])
    empty = f"{text}\n\n`{'x' * len(name)}`\n"
    filled = f"{text}\n\n`{name}`\n"
    assert spans(rules, filled, language) == spans(rules, empty, language)
    assert (
        correct(rules, filled, language=language).corrections
        == correct(rules, empty, language=language).corrections
    )


@lawful
@given(packs(), texts(markup=False), texts(markup=False), languages)
def test_text_after_a_blank_line_does_not_affect_the_text_before_it(
    pack: Pack, text: str, more: str, language: Language
) -> None:
    rules = compile_rules([pack])
    before = scan(rules, Article(content=text + "\n\n", language=language))
    after = scan(rules, Article(content=text + "\n\n" + more, language=language))
    end = len(text)
    assert before["matches"] == [m for m in after["matches"] if m["start_offset"] < end]
    assert before["violations"] == [v for v in after["violations"] if v["start_offset"] < end]


def wide(text: str) -> str:
    """``text`` with Latin letters and digits in full width."""
    return "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in text)


@lawful
@given(packs(), st.lists(st.sampled_from(NAMES), max_size=5), languages)
def test_width_and_normalization_form_do_not_change_the_found_entities(
    pack: Pack, names: list[str], language: Language
) -> None:
    rules = compile_rules([pack])
    text = "。".join(names)
    found = [entity for _, _, entity in spans(rules, text, language)]
    for form in (wide(text), unicodedata.normalize("NFD", text)):
        # An explicit rule may forbid the full-width form alone: such rules are not among these.
        assert [entity for _, _, entity in spans(rules, form, language)] == found


@lawful
@given(packs(), articles, st.randoms(use_true_random=False))
def test_rule_order_does_not_change_the_result(pack: Pack, article: Article, chance: random.Random) -> None:
    mixed_entities, mixed_rules = list(pack.entities), list(pack.rules)
    chance.shuffle(mixed_entities)
    chance.shuffle(mixed_rules)
    mixed = [
        Pack(version=1, rules=tuple(mixed_rules)),
        Pack(version=1, entities=tuple(mixed_entities), context_words=pack.context_words),
    ]
    rules, others = compile_rules([pack]), compile_rules(mixed)
    assert rules.version == others.version
    assert orjson.dumps(scan(rules, article)) == orjson.dumps(scan(others, article))


@lawful
@given(packs(), st.lists(articles, max_size=3))
def test_articles_are_scanned_independently(pack: Pack, batch: list[Article]) -> None:
    rules = compile_rules([pack])
    forwards = [scan(rules, article) for article in batch]
    backwards = [scan(rules, article) for article in reversed(batch)]
    assert forwards == backwards[::-1]


@lawful
@given(packs(), texts(), st.sampled_from(["Zeta", "Aba x", "ガバナンス料", "以太坊x"]), languages)
def test_an_added_rule_hides_a_match_only_where_it_matches_itself(
    pack: Pack, text: str, surface: str, language: Language
) -> None:
    other = Rule(
        id="z-other",
        type="ambiguous",
        match=(surface,),
        suggest=("one", "two"),
        specs=(RuleExample.model_validate({"from": "x", "to": "x"}),),
    )
    fewer = compile_rules([pack])
    more = compile_rules([pack, Pack(version=1, rules=(other,))])
    mine = [
        (v["start_offset"], v["end_offset"])
        for v in scan(more, Article(content=text, language=language))["violations"]
        if v["rule_id"] == "z-other"
    ]
    kept = spans(more, text, language)
    for span in spans(fewer, text, language):
        assert span in kept or any(_connected(span, own, kept) for own in mine)


def _connected(span: tuple[int, int, str | None], own: tuple[int, int], kept: list[object]) -> bool:
    """Whether the new match overlaps ``span``, or uncovered something that does."""
    return (own[0] < span[1] and span[0] < own[1]) or any(
        isinstance(k, tuple) and k[0] < span[1] and span[0] < k[1] for k in kept
    )


def test_a_scan_result_has_the_documented_fields() -> None:
    rules = compile_rules([Pack(version=1, entities=(Entity(id="a", type="asset", names={"en": "Aba"}),))])
    result: ScanResult = scan(rules, Article(id="x", content="aba"))
    assert set(result) == {"article_id", "matches", "violations", "corrections", "corrected_article"}
