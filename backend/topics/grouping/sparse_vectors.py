"""Sparse vectors: built from weighted words, summed by label, and compared one against all others at once
through lists of who holds a column, which needs no dense matrix over the vocabulary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """Row ``i`` has ``weights[starts[i]:starts[i + 1]]`` at ``columns[starts[i]:starts[i + 1]]``, of
    ``width`` columns in all."""

    columns: Ints
    weights: Floats
    starts: Ints
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, index: int) -> tuple[Ints, Floats]:
        part = slice(int(self.starts[index]), int(self.starts[index + 1]))
        return self.columns[part], self.weights[part]


def build_rows(given: Sequence[Mapping[str, float]]) -> Rows:
    """One row for each mapping of a word to its weight; columns are the words in alphabetical order."""
    column = {word: index for index, word in enumerate(sorted({word for one in given for word in one}))}
    entries = [(column[word], weight) for one in given for word, weight in sorted(one.items())]
    starts = np.concatenate(([0], np.cumsum([len(one) for one in given], dtype=np.int64)))
    columns = np.array([at for at, _ in entries], dtype=np.int64)
    return Rows(columns, np.array([weight for _, weight in entries]), starts.astype(np.int64), len(column))


def sum_by_label(given: Rows, labels: Ints, count: int) -> Rows:
    """One row for each of ``count`` labels: the sum of the rows that bear it."""
    width = max(given.width, 1)
    keys, place = np.unique(
        np.repeat(labels, np.diff(given.starts)) * width + given.columns, return_inverse=True
    )
    weights: Floats = np.bincount(place, weights=given.weights, minlength=len(keys)).astype(np.float64)
    rows, columns = np.divmod(keys, width)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count))))
    return Rows(columns, weights, starts, given.width)


@dataclass(frozen=True, slots=True)
class ColumnIndex:
    """Which of ``count`` rows hold a column, and with what weight: column ``c`` is held by
    ``rows[starts[c]:starts[c + 1]]``, in ascending order."""

    rows: Ints
    weights: Floats
    starts: tuple[int, ...]
    count: int

    def dots(self, columns: Ints, weights: Floats) -> Floats:
        """The dot product of a sparse vector with every row."""
        found = np.zeros(self.count)
        for column, weight in zip(columns.tolist(), weights.tolist(), strict=True):
            part = slice(self.starts[column], self.starts[column + 1])
            found[self.rows[part]] += weight * self.weights[part]
        return found


def build_column_index(given: Rows) -> ColumnIndex:
    """``given`` turned about."""
    order = np.argsort(given.columns, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(given.columns, minlength=given.width))))
    row_of = np.repeat(np.arange(len(given)), np.diff(given.starts))
    return ColumnIndex(row_of[order], given.weights[order], tuple(starts.tolist()), len(given))
