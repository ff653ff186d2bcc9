import pytest

from backend.http.prefer_header import parse_wait


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ([], None),
        (["wait=10"], 10),
        (["WAIT = 10"], 10),
        (['respond-async, wait="7"; foo=1'], 7),
        (["return=minimal", "wait=3"], 3),
        (["wait=3, wait=9"], 3),
        (["wait=0"], 0),
        (["wait"], None),
        (["wait=soon"], None),
        (["wait=-1"], None),
        (["wait=1.5, wait=2"], None),
        (["wait=1000000000000"], None),
        (["waiting=3"], None),
        (["wait=\u0664"], None),
    ],
)
def test_the_first_wait_preference_counts_and_what_cannot_be_read_is_ignored(
    lines: list[str], seconds: int | None
) -> None:
    assert parse_wait(lines) == seconds
