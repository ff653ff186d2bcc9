"""Compiles the test modules with pytest's assertion rewriting once for a run.

Compiling a module takes longer than importing it, and otherwise each process of the run would compile all.
"""

import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from backend.runtime import garbage_collection

TESTS = Path(__file__).parents[2]


def compile_tests(config: pytest.Config) -> None:
    """Compile new and changed test modules. Call before the processes start.

    The functions are private to pytest, which has no public ones. Does nothing if Python may not write
    bytecode.
    """
    if sys.dont_write_bytecode:
        return
    state = config.stash[rewrite.assertstate_key]
    with garbage_collection.paused():
        for file in (*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")):
            compiled = rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"
            if rewrite._read_pyc(file, compiled) is None and rewrite.try_makedirs(compiled.parent):
                source_hash, code = rewrite._rewrite_test(file, config)
                rewrite._write_pyc(state, code, source_hash, compiled)
