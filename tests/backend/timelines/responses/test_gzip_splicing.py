"""Compressed pieces, joined to one gzip member."""

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
def test_pieces_of_both_kinds_form_one_gzip_member(pieces: list[tuple[bool, bytes]]) -> None:
    member = Member()
    parts = [member.packed(pack(piece)) if packed else member.stored(piece) for packed, piece in pieces]
    member_bytes = HEADER + b"".join(parts) + member.end()
    assert gzip.decompress(member_bytes) == b"".join(piece for _, piece in pieces)
    decompressor = zlib.decompressobj(31)
    decompressor.decompress(member_bytes)
    assert (decompressor.eof, decompressor.unused_data) == (True, b"")


def test_a_long_stored_piece_is_split_into_blocks_of_the_declared_size() -> None:
    for length in (0, 1, 65_535, 65_536, 200_000):
        member, piece = Member(), bytes(length)
        stored = member.stored(piece)
        assert len(stored) == stored_size(piece)
        end = member.end()
        assert len(end) == END_SIZE
        assert gzip.decompress(HEADER + stored + end) == piece


def test_a_power_of_x_shifts_a_checksum() -> None:
    first, second = b"first", b"and second"
    shifted = multiplied(power(8 * len(second)), zlib.crc32(first))
    assert shifted ^ zlib.crc32(second) == zlib.crc32(first + second)
    assert multiplied(power(0), 0x1234) == 0x1234
