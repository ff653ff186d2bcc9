"""Many articles at once."""

import csv
import io

from backend.articles.schemas import MAX_ARTICLES
from dashboard.app_pages.corrections import batch_data
from dashboard.app_pages.corrections.batch_data import Checked
from tests.support.scans import article, found, scanned


def test_every_article_goes_into_one_request_in_order_and_none_is_too_large() -> None:
    small = [article(id=str(n), content="x") for n in range(450)]
    parts = list(batch_data.chunks(small))
    assert [len(part) for part in parts] == [MAX_ARTICLES, MAX_ARTICLES, 50]
    assert [one["id"] for part in parts for one in part] == [str(n) for n in range(450)]
    large = [article(content="あ" * 1_000_000) for _ in range(4)]
    assert [len(part) for part in batch_data.chunks(large)] == [1, 1, 1, 1]
    assert list(batch_data.chunks([])) == []


def test_rows_say_what_was_found_in_each_article_and_the_total_adds_up() -> None:
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
    checked = Checked((first, second), scans, (), "v")
    one, two = batch_data.rows(checked)
    assert (one.name, one.language, one.length) == ("Etherium", "en", 16)
    assert (one.counts.error, one.counts.info, one.counts.safe, one.counts.approval) == (1, 1, 1, 1)
    assert (two.name, two.language, two.counts.all) == ("fine", None, 0)
    assert batch_data.total([one, two, one]).all == 4


def test_an_article_without_text_is_called_by_its_number() -> None:
    assert batch_data.name(article(), 7) == "#7"
    assert batch_data.name(article(id="x"), 7) == "x"


def test_the_table_for_a_spreadsheet_holds_no_formula() -> None:
    text = article(title="=1+1")
    made = batch_data.summary_csv(batch_data.rows(Checked((text,), (scanned(text),), (), "v")))
    head, row = csv.reader(io.StringIO(made.decode("utf-8-sig")))
    assert head[:4] == ["number", "article", "language", "characters"]
    assert row[1] == "'=1+1"
