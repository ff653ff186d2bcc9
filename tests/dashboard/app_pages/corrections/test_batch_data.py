"""Requests and rows of a batch of articles."""

import csv
import io

from backend.articles.schemas import MAX_ARTICLES
from dashboard.app_pages.corrections import batch_data
from dashboard.app_pages.corrections.batch_data import CheckedBatch
from tests.support.articles.scans import article, build_scan_result, build_violations


def test_requests_hold_all_articles_in_order_within_the_limits() -> None:
    small = [article(id=str(n), content="x") for n in range(450)]
    parts = list(batch_data.split_requests(small))
    assert [len(part) for part in parts] == [MAX_ARTICLES, MAX_ARTICLES, 50]
    assert [request_article["id"] for part in parts for request_article in part] == [
        str(n) for n in range(450)
    ]
    large = [article(content="あ" * 1_000_000) for _ in range(4)]
    assert [len(part) for part in batch_data.split_requests(large)] == [1, 1, 1, 1]
    assert list(batch_data.split_requests([])) == []


def test_rows_count_findings_by_article_and_add_up_to_the_total() -> None:
    first = article(title="Etherium", content="CoinBase")
    second = article(content="\n\n fine \n")
    scans = (
        build_scan_result(
            first,
            build_violations(first, "Etherium", "Ethereum"),
            build_violations(first, "CoinBase", "Coinbase", auto=False, severity="info"),
        ),
        build_scan_result(second),
    )
    checked = CheckedBatch((first, second), scans, (), "v")
    first_row, second_row = batch_data.build_rows(checked)
    assert (first_row.name, first_row.language, first_row.length) == ("Etherium", "en", 16)
    assert (
        first_row.counts.error,
        first_row.counts.info,
        first_row.counts.safe,
        first_row.counts.approval,
    ) == (1, 1, 1, 1)
    assert (second_row.name, second_row.language, second_row.counts.all) == ("fine", None, 0)
    assert batch_data.sum_counts([first_row, second_row, first_row]).all == 4


def test_an_article_without_text_is_named_by_its_number() -> None:
    assert batch_data.name_article(article(), 7) == "#7"
    assert batch_data.name_article(article(id="x"), 7) == "x"


def test_cells_of_the_csv_that_start_a_formula_are_escaped() -> None:
    text = article(title="=1+1")
    summary_csv = batch_data.build_summary_csv(
        batch_data.build_rows(CheckedBatch((text,), (build_scan_result(text),), (), "v"))
    )
    head, row = csv.reader(io.StringIO(summary_csv.decode("utf-8-sig")))
    assert head[:4] == ["number", "article", "language", "characters"]
    assert row[1] == "'=1+1"
