import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.http.prepared_responses import MIN_COMPRESSED_BYTES, Prepared, accepts_gzip, matches

LARGE = b'{"a":"' + b"x" * MIN_COMPRESSED_BYTES + b'"}'


def build_compressed() -> Prepared:
    answer = Prepared(LARGE)
    answer.compress()
    return answer


def find_header(headers: list[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    return dict(headers).get(name)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (b"gzip", True),
        (b"gzip, deflate, br", True),
        (b"br;q=1.0, gzip;q=0.8, *;q=0.1", True),
        (b"*", True),
        (b"GZIP", True),
        (b"gzip;q=0", False),
        (b"gzip; q=0.000", False),
        (b"identity", False),
        (b"deflate, br", False),
        (b"gzip;q=0.5, identity", False),
        (b"*;q=0", False),
        (b"gzip;q=high", False),
        (b"", False),
    ],
)
def test_gzip_is_accepted_only_if_its_quality_is_at_least_that_of_identity(
    accept: bytes, expected: bool
) -> None:
    assert accepts_gzip(accept) is expected


@given(st.binary(max_size=200))
def test_arbitrary_accept_encoding_headers_never_raise(accept: bytes) -> None:
    assert accepts_gzip(accept) in (True, False)


def test_plain_and_gzip_responses_have_different_strong_etags_and_equal_content() -> None:
    answer = build_compressed()
    status, plain_headers, plain = answer.answer(None, None)
    _, zipped_headers, zipped = answer.answer(b"gzip", None)
    assert status == 200
    assert gzip.decompress(zipped) == plain == LARGE
    assert find_header(plain_headers, b"etag") != find_header(zipped_headers, b"etag")
    assert not (find_header(zipped_headers, b"etag") or b"").startswith(b"W/")
    assert find_header(zipped_headers, b"content-encoding") == b"gzip"
    assert find_header(zipped_headers, b"content-length") == str(len(zipped)).encode()


def test_matching_etag_returns_304_with_the_etag_and_no_body() -> None:
    answer = build_compressed()
    tag = find_header(answer.answer(b"gzip", None)[1], b"etag")
    status, headers, body = answer.answer(b"gzip", tag)
    assert (status, body) == (304, b"")
    assert find_header(headers, b"etag") == tag
    assert find_header(headers, b"content-length") is None
    assert find_header(headers, b"vary")


def test_etag_of_one_encoding_does_not_match_the_other() -> None:
    answer = build_compressed()
    plain_tag = find_header(answer.answer(None, None)[1], b"etag")
    assert answer.answer(b"gzip", plain_tag)[0] == 200


@pytest.mark.parametrize("sent", [b"*", b'"t"', b'W/"t"', b'"a", "t"', b' "a" , W/"t" '])
def test_if_none_match_compares_weakly_within_a_list(sent: bytes) -> None:
    assert matches(sent, b'"t"')


@pytest.mark.parametrize("sent", [b"", b'"T"', b"t", b'"a", "b"'])
def test_another_tag_does_not_match(sent: bytes) -> None:
    assert not matches(sent, b'"t"')


def test_a_small_body_is_never_compressed() -> None:
    answer = Prepared(b"{}")
    answer.compress()
    assert answer.answer(b"gzip", None)[2] == b"{}"
