"""The test modules as pytest runs them, with assertions that tell what they compared: made once for a run.

Making one takes longer than importing it, and processes that start together would each make all of them.
"""

import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from backend.runtime import garbage_collection

TESTS = Path(__file__).parents[1]


def keep(config: pytest.Config) -> None:
    """Call before the processes start; makes what is not there yet or is of another state of its file.

    The functions are pytest's own, for which it has no public name. Where Python may write no bytecode,
    nothing could be kept.
    """
    if sys.dont_write_bytecode:
        return
    state = config.stash[rewrite.assertstate_key]
    with garbage_collection.paused():
        for file in (*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")):
            made = rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"
            if rewrite._read_pyc(file, made) is None and rewrite.try_makedirs(made.parent):
                source_hash, code = rewrite._rewrite_test(file, config)
                rewrite._write_pyc(state, code, source_hash, made)
