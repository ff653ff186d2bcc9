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


def build_rows(vectors: Sequence[Mapping[str, float]]) -> Rows:
    """Build one row for each vector of words and weights; columns are the words in alphabetical order."""
    column = {
        word: index for index, word in enumerate(sorted({word for vector in vectors for word in vector}))
    }
    entries = [(column[word], weight) for vector in vectors for word, weight in sorted(vector.items())]
    starts = np.concatenate(([0], np.cumsum([len(vector) for vector in vectors], dtype=np.int64)))
    columns = np.array([at for at, _ in entries], dtype=np.int64)
    return Rows(columns, np.array([weight for _, weight in entries]), starts.astype(np.int64), len(column))


def sum_by_label(rows_to_sum: Rows, labels: Ints, count: int) -> Rows:
    """Build one row for each of ``count`` labels: the sum of the rows with this label."""
    width = max(rows_to_sum.width, 1)
    keys, place = np.unique(
        np.repeat(labels, np.diff(rows_to_sum.starts)) * width + rows_to_sum.columns, return_inverse=True
    )
    weights: Floats = np.bincount(place, weights=rows_to_sum.weights, minlength=len(keys)).astype(np.float64)
    rows, columns = np.divmod(keys, width)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count))))
    return Rows(columns, weights, starts, rows_to_sum.width)


@dataclass(frozen=True, slots=True)
class ColumnIndex:
    """Maps columns to rows with weights: ``rows[starts[c]:starts[c + 1]]`` contain column ``c``, in ascending
    order.

    ``count`` is the number of all rows.
    """

    rows: Ints
    weights: Floats
    starts: tuple[int, ...]
    count: int

    def dots(self, columns: Ints, weights: Floats) -> Floats:
        """Compute the dot product of a sparse vector with every row."""
        found = np.zeros(self.count)
        for column, weight in zip(columns.tolist(), weights.tolist(), strict=True):
            part = slice(self.starts[column], self.starts[column + 1])
            found[self.rows[part]] += weight * self.weights[part]
        return found


def build_column_index(rows: Rows) -> ColumnIndex:
    """Transpose ``rows`` to an index by column."""
    order = np.argsort(rows.columns, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows.columns, minlength=rows.width))))
    row_of = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    return ColumnIndex(row_of[order], rows.weights[order], tuple(starts.tolist()), len(rows))
