import numpy as np

from backend.markets.sample import random_numbers
from backend.markets.sample.random_numbers import Stream

KEYS = np.array([random_numbers.derive_key(1, name) for name in ("a", "b", "c", "d")], dtype=np.uint64)
COUNTERS = np.arange(-25_000, 25_000, dtype=np.int64)[:, None]


def test_a_number_does_not_depend_on_the_others_in_its_batch() -> None:
    table = random_numbers.normal(KEYS, COUNTERS, Stream.RETURN)
    single_number = random_numbers.normal(KEYS[2:3], np.array([[1234]], dtype=np.int64), Stream.RETURN)
    assert single_number[0, 0] == table[1234 + 25_000, 2]


def test_known_numbers_do_not_change() -> None:
    """Stored history of a sample market must go on where it stopped after an upgrade."""
    key = random_numbers.derive_key(2026, "bitcoin")
    assert key == 0x60B9_7539_02B5_C916
    drawn = random_numbers.uniform(
        np.array([key], dtype=np.uint64), np.array([-1, 0, 500_000]), Stream.RETURN
    )
    assert drawn.tolist() == [0.6132681720191613, 0.5865352196851745, 0.11437193176243454]


def test_uniform_numbers_fill_the_open_interval_evenly() -> None:
    drawn = random_numbers.uniform(KEYS, COUNTERS, Stream.RETURN)
    assert 0 < drawn.min() < 1e-4
    assert 1 - 1e-4 < drawn.max() < 1
    counts, _ = np.histogram(drawn, bins=50, range=(0, 1))
    expected = drawn.size / 50
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()


def test_normal_numbers_have_the_moments_of_a_normal() -> None:
    drawn = random_numbers.normal(KEYS, COUNTERS, Stream.RETURN).ravel()
    assert abs(drawn.mean()) < 0.01
    assert abs(drawn.std() - 1) < 0.01
    assert abs((drawn**4).mean() - 3) < 0.1


def test_student_numbers_have_the_tails_of_a_student_t() -> None:
    drawn = np.abs(random_numbers.student_t(KEYS, COUNTERS, Stream.RETURN, nu=4.0))
    # Two-sided critical values of t with four degrees of freedom, from any table.
    for critical, share in ((2.132, 0.10), (2.776, 0.05), (4.604, 0.01), (8.610, 0.001)):
        assert abs((drawn > critical).mean() / share - 1) < 0.25


def test_keys_streams_and_neighbouring_counters_are_independent() -> None:
    drawn = random_numbers.normal(KEYS, COUNTERS, Stream.RETURN)
    other_stream = random_numbers.normal(KEYS, COUNTERS, Stream.VOLUME)
    between = np.corrcoef(np.hstack([drawn, other_stream]).T)
    assert np.abs(between - np.eye(len(between))).max() < 0.03
    for lag in (1, 2, 12, 24):
        assert abs(np.corrcoef(drawn[lag:, 0], drawn[:-lag, 0])[0, 1]) < 0.03
