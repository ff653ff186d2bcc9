"""Requests and rows of a batch of articles."""

import csv
import io

from backend.articles.schemas import MAX_ARTICLES
from dashboard.app_pages.corrections import batch_data
from dashboard.app_pages.corrections.batch_data import CheckedBatch
from tests.support.scans import article, found, scanned


def test_requests_hold_all_articles_in_order_within_the_limits() -> None:
    small = [article(id=str(n), content="x") for n in range(450)]
    parts = list(batch_data.split_requests(small))
    assert [len(part) for part in parts] == [MAX_ARTICLES, MAX_ARTICLES, 50]
    assert [one["id"] for part in parts for one in part] == [str(n) for n in range(450)]
    large = [article(content="あ" * 1_000_000) for _ in range(4)]
    assert [len(part) for part in batch_data.split_requests(large)] == [1, 1, 1, 1]
    assert list(batch_data.split_requests([])) == []


def test_rows_count_findings_by_article_and_add_up_to_the_total() -> None:
    first = article(title="Etherium", content="CoinBase")
    second = article(content="\n\n fine \n")
    scans = (
        scanned(
            first,
            found(first, "Etherium", "Ethereum"),
            found(first, "CoinBase", "Coinbase", auto=False, severity="info"),
        ),
        scanned(second),
    )
    checked = CheckedBatch((first, second), scans, (), "v")
    one, two = batch_data.build_rows(checked)
    assert (one.name, one.language, one.length) == ("Etherium", "en", 16)
    assert (one.counts.error, one.counts.info, one.counts.safe, one.counts.approval) == (1, 1, 1, 1)
    assert (two.name, two.language, two.counts.all) == ("fine", None, 0)
    assert batch_data.sum_counts([one, two, one]).all == 4


def test_an_article_without_text_is_named_by_its_number() -> None:
    assert batch_data.name_article(article(), 7) == "#7"
    assert batch_data.name_article(article(id="x"), 7) == "x"


def test_cells_of_the_csv_that_start_a_formula_are_escaped() -> None:
    text = article(title="=1+1")
    made = batch_data.build_summary_csv(
        batch_data.build_rows(CheckedBatch((text,), (scanned(text),), (), "v"))
    )
    head, row = csv.reader(io.StringIO(made.decode("utf-8-sig")))
    assert head[:4] == ["number", "article", "language", "characters"]
    assert row[1] == "'=1+1"
