"""Groups a profile's runs into passes over most of its cases.

Runs are recorded one by one, and most sources do not say which of them belong together. Here a pass is what
they show: going by time (equal instants by run id), **a pass ends before a run whose case it already holds,
once it holds at least half of all cases of the selection**. So

- one run of each case a day, or several times a day: each round is a pass, in whatever order its cases ran;
- a case that is tried again at once stays in its pass, which then takes the mean of both;
- five trials of each case started together make up to five passes, mixed as they ran;
- a few cases run hourly beside a weekly round fill one pass until half of all cases have come.

A pass need not hold every case: what is made of it (``watch``) compares each case with itself.
"""

import numpy as np
import numpy.typing as npt

from backend.timelines.statistics.means import Codes

ENOUGH = 0.5
"""The share of a profile's cases that a pass must hold before it can end."""


def pass_numbers(cases: Codes) -> npt.NDArray[np.int64]:
    """The number, from 0, of the pass of each run of one profile; ``cases`` in the order of time."""
    least = len(np.unique(cases)) * ENOUGH
    numbers = np.empty(len(cases), dtype=np.int64)
    held: set[int] = set()
    current = 0
    for place, case in enumerate(cases.tolist()):
        if case in held and len(held) >= least:
            current += 1
            held = set()
        held.add(case)
        numbers[place] = current
    return numbers
