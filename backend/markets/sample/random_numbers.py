"""Generates random numbers without state: each is a function of (key, counter) alone.

A stateful generator would have to be replayed from an epoch. A counter-based one computes the number of any
hour directly, in any process and order. The mixing function is the finaliser of SplitMix64 (Steele, Lea and
Flood 2014). numpy's own generators are not used, since numpy may change the numbers of its distributions (NEP
19).

Every function broadcasts ``keys`` (uint64) against ``counters`` (int64) and returns float64.
"""

from enum import IntEnum
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_S30, _S27, _S31, _S32 = (np.uint64(shift) for shift in (30, 27, 31, 32))


class Stream(IntEnum):
    """The purpose of a number; two streams share no number."""

    FAST_VOLATILITY = 1
    SLOW_VOLATILITY = 2
    RETURN = 3
    LEVEL = 4
    SUB_STEP = 5
    WIGGLE = 6
    VOLUME = 7
    TRAIT = 8
    VIEW = 9


def derive_key(seed: int, name: str) -> int:
    """Derive the 64-bit key of a named series under ``seed``, the same in every process."""
    return int.from_bytes(blake2b(f"{seed}:{name}".encode(), digest_size=8).digest(), "big")


def hash_bits(keys: Keys, counters: Ints, stream: int) -> Keys:
    offset = np.uint64(stream * 0x9E6C_63D0_876A_3F35 & 0xFFFF_FFFF_FFFF_FFFF)
    with np.errstate(over="ignore"):
        counted = _mix(counters.astype(np.int64).view(np.uint64) * _GOLDEN + offset)
        return _mix(counted + keys)


def uniform(keys: Keys, counters: Ints, stream: int) -> Floats:
    """Uniform on the open interval (0, 1)."""
    return _to_unit(hash_bits(keys, counters, stream) >> _S32)


def normal(keys: Keys, counters: Ints, stream: int) -> Floats:
    """Standard normal, by the method of Box and Muller from the two halves of one hash."""
    hashed = hash_bits(keys, counters, stream)
    radius = np.sqrt(-2.0 * np.log(_to_unit(hashed >> _S32)))
    return radius * np.cos(2.0 * np.pi * _to_unit(hashed & _LOW_HALF))


def student_t(keys: Keys, counters: Ints, stream: int, *, nu: float) -> Floats:
    """Student t with ``nu`` degrees of freedom, exactly, by the polar form of Bailey (1994)."""
    hashed = hash_bits(keys, counters, stream)
    radius = np.sqrt(nu * (_to_unit(hashed >> _S32) ** (-2.0 / nu) - 1.0))
    return radius * np.cos(2.0 * np.pi * _to_unit(hashed & _LOW_HALF))


def _mix(value: Keys) -> Keys:
    value = (value ^ (value >> _S30)) * _FIRST
    value = (value ^ (value >> _S27)) * _SECOND
    return value ^ (value >> _S31)


def _to_unit(half: Keys) -> Floats:
    return (half.astype(np.float64) + 0.5) * 2.0**-32
