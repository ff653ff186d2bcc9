"""Compressed chunks, joined to one gzip member."""

import gzip
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from backend.timelines.responses.gzip_splicing import (
    END_SIZE,
    HEADER,
    Member,
    multiplied,
    pack,
    power,
    stored_size,
)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=300)), max_size=6))
def test_chunks_of_both_kinds_form_one_gzip_member(chunks: list[tuple[bool, bytes]]) -> None:
    member = Member()
    parts = [member.packed(pack(chunk)) if packed else member.stored(chunk) for packed, chunk in chunks]
    member_bytes = HEADER + b"".join(parts) + member.end()
    assert gzip.decompress(member_bytes) == b"".join(chunk for _, chunk in chunks)
    decompressor = zlib.decompressobj(31)
    decompressor.decompress(member_bytes)
    assert (decompressor.eof, decompressor.unused_data) == (True, b"")


def test_a_long_stored_chunk_is_split_into_blocks_of_the_declared_size() -> None:
    for length in (0, 1, 65_535, 65_536, 200_000):
        member, chunk = Member(), bytes(length)
        stored = member.stored(chunk)
        assert len(stored) == stored_size(chunk)
        end = member.end()
        assert len(end) == END_SIZE
        assert gzip.decompress(HEADER + stored + end) == chunk


def test_a_power_of_x_shifts_a_checksum() -> None:
    first, second = b"first", b"and second"
    shifted = multiplied(power(8 * len(second)), zlib.crc32(first))
    assert shifted ^ zlib.crc32(second) == zlib.crc32(first + second)
    assert multiplied(power(0), 0x1234) == 0x1234
