"""Groups a profile's runs into passes over most of its cases.

Runs are recorded one by one, and most sources do not say which of them belong together. Passes are therefore
inferred: in order of time (equal times by run id), **a pass ends before a run whose case it already contains,
once it contains at least half of all cases of the selection**. So

- one run of each case once or several times a day: each round is a pass, in any order of cases;
- a case that is retried at once stays in its pass, which then uses the mean of both;
- five trials of each case started together make up to five passes, mixed in the order of their runs;
- a few cases run hourly besides a weekly round belong to one pass until half of all cases have run.

A pass need not contain every case, because ``watch`` compares each case with itself.
"""

import numpy as np
import numpy.typing as npt

from backend.timelines.statistics.means import Codes

MIN_SHARE_OF_CASES = 0.5
"""Share of a profile's cases that a pass must contain before it can end."""


def pass_numbers(cases: Codes) -> npt.NDArray[np.int64]:
    """Compute the pass number, from 0, of each run of one profile; ``cases`` in order of time."""
    least = len(np.unique(cases)) * MIN_SHARE_OF_CASES
    numbers = np.empty(len(cases), dtype=np.int64)
    cases_in_pass: set[int] = set()
    current = 0
    for run_index, case in enumerate(cases.tolist()):
        if case in cases_in_pass and len(cases_in_pass) >= least:
            current += 1
            cases_in_pass = set()
        cases_in_pass.add(case)
        numbers[run_index] = current
    return numbers
