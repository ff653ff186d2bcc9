"""Tests that a search ranks the right document first, with the same scores on both databases."""

import math
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backend.documents import collection_statistics, ranking
from backend.documents import store as documents_store
from backend.documents.collection_statistics import TermStatistics
from backend.documents.full_text_index import Fts5Index, GinIndex
from backend.documents.model import Document, Hit
from backend.documents.store import DocumentStore
from backend.documents.tokenizer import document_terms, query_terms
from backend.store.database import Database
from tests.support.store import databases
from tests.support.test_session.property_tests import examples

Make = Callable[..., Document]
TEXTS = {
    "Fourth Bitcoin halving": "At block 840,000 the reward fell from 6.25 to 3.125 BTC.",
    "ビットコイン、4回目の半減期": "ブロック高840,000で報酬が6.25BTCから3.125BTCに半減した。",
    "比特币第四次减半": "在区块高度840,000，奖励由6.25枚BTC减至3.125枚。",
    "SEC approves spot ETFs": "The commission approved eleven spot bitcoin exchange-traded products.",
    "用户": "币安用户数突破1亿。",
    "The Merge": "Ethereum moved to proof of stake; bitcoin did not, and bitcoin never will. Bitcoin!",
}


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def filled(
    request: pytest.FixtureRequest, make: Make, now: datetime, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DocumentStore]:
    """A store that tests read and do not change."""
    with databases.create_database(request.param, tmp_path_factory.mktemp("documents")) as url:
        database = Database(url)
        store = DocumentStore(database)
        store.store(texts_of(make), now=now)
        yield store
        database.dispose()


def texts_of(make: Make) -> list[Document]:
    languages = ["en", "ja", "zh", "en", "zh", None]
    kinds = ["landmark", "landmark", "landmark", "article", "page", "user"]
    return [
        make(title, text, language=language, kind=kind)
        for (title, text), language, kind in zip(TEXTS.items(), languages, kinds, strict=True)
    ]


def titles(hits: list[Hit]) -> list[str]:
    return [hit.document.title for hit in hits]


def compute_expected_scores(text: str) -> dict[str, float]:
    """Every document's score, reckoned from the texts alone."""
    terms_by_title = {title: document_terms(title, body) for title, body in TEXTS.items()}
    mean = sum(map(len, terms_by_title.values())) / len(terms_by_title)
    scores = {}
    for title, words in terms_by_title.items():
        score = 0.0
        for term in query_terms([text]):
            n = sum(term in other_terms for other_terms in terms_by_title.values())
            f = words.count(term)
            idf = math.log(1 + (len(terms_by_title) - n + 0.5) / (n + 0.5))
            score += idf * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * len(words) / mean))
        if score:
            scores[title] = score
    return scores


@pytest.mark.parametrize(
    "query", ["bitcoin halvings", "半減", "840000 BTC reward", "用户数", "the bitcoin ETF", "減"]
)
def test_a_score_is_bm25_and_the_same_on_both_databases(filled: DocumentStore, query: str) -> None:
    hits = filled.search(query)
    expected = compute_expected_scores(query)
    assert {hit.document.title: pytest.approx(hit.score) for hit in hits} == expected
    assert [hit.score for hit in hits] == sorted(expected.values(), reverse=True)
    assert all(hit.score > 0 for hit in hits)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("halved in the fourth halving", "Fourth Bitcoin halving"),
        ("４回目の半減", "ビットコイン、4回目の半減期"),
        ("ﾋﾞｯﾄｺｲﾝの半減期", "ビットコイン、4回目の半減期"),
        ("用户", "用户"),
        ("减半", "比特币第四次减半"),
        ("approving an ETF", "SEC approves spot ETFs"),
    ],
)
def test_the_intended_document_ranks_first(filled: DocumentStore, query: str, first: str) -> None:
    assert titles(filled.search(query))[0] == first


def test_kinds_and_languages_exclude_all_others(filled: DocumentStore) -> None:
    assert titles(filled.search("bitcoin", kinds=["user"])) == ["The Merge"]
    assert set(titles(filled.search("bitcoin BTC 840000", languages=["ja", "zh"]))) == {
        "ビットコイン、4回目の半減期",
        "比特币第四次减半",
    }
    assert titles(filled.search("840000", kinds=["landmark", "page"], languages=["zh"])) == [
        "比特币第四次减半"
    ]
    assert filled.search("bitcoin", kinds=[]) == []
    assert filled.search("bitcoin", languages=[]) == []


def test_the_terms_of_filters_cannot_be_searched_for(filled: DocumentStore) -> None:
    assert filled.search("kind:landmark lang:en") == []


def test_a_limit_keeps_the_best_hits(filled: DocumentStore) -> None:
    all_hits = filled.search("bitcoin 840000")
    assert filled.search("bitcoin 840000", limit=2) == all_hits[:2]
    assert filled.search("bitcoin", limit=0) == []


def test_further_texts_add_their_terms(filled: DocumentStore) -> None:
    (hits,) = filled.search_many([("halving", "半減期", "减半")])
    assert set(titles(hits)) == {"Fourth Bitcoin halving", "ビットコイン、4回目の半減期", "比特币第四次减半"}


def test_many_queries_give_the_same_hits_as_each_alone(filled: DocumentStore) -> None:
    single_results = [filled.search(query) for query in ("halving", "", "用户数")]
    assert filled.search_many(["halving", "", "用户数"]) == single_results
    assert filled.search_many([]) == []


NOT_WORDS = [
    "",
    " ",
    "\"'",
    "*",
    "-",
    "NEAR(",
    "a AND",
    "^",
    "{terms}: x",
    ":",
    "…。、",
    "\x00",
    "\ud800",
    "|&!",
    "\\",
]


@pytest.mark.parametrize("query", NOT_WORDS)
def test_a_query_without_words_finds_nothing_without_an_exception(filled: DocumentStore, query: str) -> None:
    assert all(hit.score > 0 for hit in filled.search(query))
    if not query_terms([query]):
        assert filled.search(query) == []


@settings(max_examples=examples(40))
@given(st.text(max_size=60) | st.text(alphabet="\"'*-:^(){}+\\|&!<> ANDORTNEbitco半減の.,0٣Ⅻ", max_size=60))
@example('bitcoin OR "')
@example("l'ETF d\u0301e Bitcoin")
def test_no_query_text_raises_an_exception(filled: DocumentStore, query: str) -> None:
    hits = filled.search(query)
    assert {hit.document.title for hit in hits} == set(compute_expected_scores(query))


def test_only_the_rarest_terms_that_occur_are_used(
    filled: DocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "MAX_WEIGHTED_TERMS", 1)
    assert titles(filled.search("unheard words: bitcoin, eleven")) == ["SEC approves spot ETFs"]


def test_common_terms_only_rank_unless_rare_ones_find_too_few(
    filled: DocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_hits = filled.search("bitcoin eleven")
    assert len(all_hits) > 1
    monkeypatch.setattr(ranking, "MAX_POSTINGS", 1)
    assert filled.search("bitcoin eleven", limit=1) == all_hits[:1]
    assert filled.search("bitcoin eleven") == all_hits


def test_a_short_document_is_found_among_many_with_the_same_term(
    store: DocumentStore, make: Make, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More hold the term than are looked at, and the best of them came last."""
    monkeypatch.setattr(documents_store, "MIN_CANDIDATES", 5)
    store.store([make(f"halving {number}", "and other words " * 9) for number in range(30)], now=now)
    store.store([make("The halving")], now=now)
    assert titles(store.search("halving", limit=1)) == ["The halving"]


def test_a_new_document_counts_at_once_in_a_small_store(
    store: DocumentStore, make: Make, now: datetime
) -> None:
    store.store(texts_of(make), now=now)
    before = store.search("halving")[0].score
    store.store([make("Another halving")], now=now)
    assert store.search("halving")[0].document.title == "Another halving"
    assert store.search("halving")[1].score < before


def test_a_large_store_is_counted_again_after_the_cache_expires(
    database: Database, make: Make, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection_statistics, "MAX_UNCACHED_DOCUMENTS", 1)
    clock = [1_000.0]
    counted = TermStatistics(Fts5Index() if database.is_sqlite else GinIndex(), lambda: clock[0])
    store = DocumentStore(database)

    def read() -> tuple[int, dict[str, int]]:
        with database.read() as connection:
            totals, document_counts = counted.read(connection, ["alpha", "beta"])
        return totals.documents, document_counts

    store.store([make("one", "alpha"), make("two", "alpha")], now=now)
    assert read() == (2, {"alpha": 2, "beta": 0})
    store.store([make("three", "alpha beta")], now=now)
    assert read() == (2, {"alpha": 2, "beta": 1})  # what no document held is always asked for
    clock[0] += collection_statistics.CACHE_SECONDS
    assert read() == (3, {"alpha": 3, "beta": 1})
