"""What bodies are read, what is refused, and the place that the refusal names."""

import asyncio
import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import BadRequest
from backend.http.json_body import JsonRequest, parse

LONE = '"\\ud83d"'


def read(body: bytes) -> Any:
    return parse(body)


def refusal(body: bytes) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        read(body)
    assert caught.value.detail.endswith(".")
    assert caught.value.errors
    orjson.dumps([caught.value.detail, caught.value.errors])  # whatever came, the answer can be sent
    return caught.value


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "イーサリアム",
        "\0",
        "😀",
        [],
        {},
        {"a": [1, {"b": None}]},
        2**63 - 1,
        -(2**63),
    ],
)
def test_json_is_read_as_what_it_says(value: Any) -> None:
    assert read(json.dumps(value).encode()) == value
    assert read(orjson.dumps(value)) == value


def test_of_a_name_that_comes_twice_the_last_counts() -> None:
    assert read(b'{"a": 1, "a": 2}') == {"a": 2}


def test_broken_json_is_told_with_its_line_and_column() -> None:
    told = refusal('{"articles": [\n  {"id": "仮想", "title": nil}\n]}'.encode())
    assert "line 2, column 25" in told.detail
    assert told.errors[0]["loc"] == ["body"]
    assert told.errors[0]["type"] == "json_invalid"


@pytest.mark.parametrize(
    "body", [b" ", b"{", b"[1,]", b"{'a': 1}", b"01", b"1 2", b'"a\x00"', b'"\t"', b"nul"]
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    assert refusal(body).errors[0]["type"] == "json_invalid"


@pytest.mark.parametrize("body", [b"NaN", b"Infinity", b"[-Infinity]", b"1e999", b"1" * 400])
def test_what_is_no_finite_number_is_refused(body: bytes) -> None:
    refusal(body)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_another_encoding_is_refused(encoding: str) -> None:
    assert "at line 1, column " in refusal('{"articles": []}'.encode(encoding)).detail


def test_a_byte_that_is_no_utf8_is_told_with_its_place() -> None:
    told = refusal('{"a": "é",\n "b": "'.encode() + b'\xff"}')
    assert "not UTF-8 at line 2, column 8" in told.detail
    assert told.errors[0]["type"] == "json_encoding"


@pytest.mark.parametrize(
    "text", [LONE, '"x\\udc00"', '"\\ud83d\\ud83d"', '"\\uDC00\\uD83D"', '"\ud83d"', '"a\udfff"']
)
@pytest.mark.parametrize("place", ['{"content": %s}', "{%s: 1}", '{"content": %s, '])
def test_a_lone_surrogate_is_told_with_its_line(text: str, place: str) -> None:
    told = refusal(('{"articles": [{"id": "1"},\n' + place % text + "]}").encode("utf-8", "surrogatepass"))
    assert "at line 2, column " in told.detail


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert read(b'"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30, -(10**200)])
def test_an_integer_beyond_64_bits_is_told_with_its_place(number: int) -> None:
    told = refusal(f'{{"é": [1, "\\"{number}",\n {{"b": 1.{"1" * 30}, "c": {number}}}]}}'.encode())
    assert "at line 2, column 47" in told.detail
    assert told.errors[0]["type"] == "int_too_large"


def test_long_digits_in_a_text_or_a_fraction_are_no_large_integer() -> None:
    value = {"address": "1" * 60, "share": 0.1234567890123456789012, "1" * 30: 1e25}
    assert read(json.dumps(value).encode()) == value


@pytest.mark.parametrize("depth", [1100, 5000, 200_000])
def test_what_is_nested_too_deeply_is_refused(depth: int) -> None:
    told = refusal(b"[" * depth + b"]" * depth)
    assert "depth limit" in told.detail
    refusal(b'{"a":' * depth)


@pytest.mark.parametrize("depth", [900, 980, 1000, 1020, 1024])
@pytest.mark.parametrize("inside", [LONE.encode(), b"9" * 25])
def test_a_fault_deep_inside_is_refused_however_deep(depth: int, inside: bytes) -> None:
    refusal(b"[" * depth + inside + b"]" * depth)


def request(*messages: dict[str, Any]) -> JsonRequest:
    left = list(messages)

    async def receive() -> dict[str, Any]:
        return left.pop(0)

    return JsonRequest({"type": "http", "headers": []}, receive)


def test_a_request_is_parsed_before_it_is_asked_for_its_json() -> None:
    sent = request(
        {"type": "http.request", "body": b'{"a"', "more_body": True},
        {"type": "http.request", "body": b": 1}"},
    )
    asyncio.run(sent.read())
    assert asyncio.run(sent.json()) == {"a": 1}


def test_a_body_that_breaks_off_is_refused_in_words() -> None:
    sent = request({"type": "http.request", "body": b'{"a"', "more_body": True}, {"type": "http.disconnect"})
    with pytest.raises(BadRequest, match="before the body was complete"):
        asyncio.run(sent.read())


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_in_words(body: bytes) -> None:
    try:
        read(body)
    except BadRequest as told:
        orjson.dumps([told.detail, told.errors])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def has_large_integer(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(has_large_integer, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


@given(json_values)
def test_what_another_encoder_wrote_comes_back_unless_an_integer_is_too_large(value: Any) -> None:
    body = json.dumps(value).encode()
    if has_large_integer(value):
        assert {fault["type"] for fault in refusal(body).errors} == {"int_too_large"}
    else:
        assert read(body) == value
