"""Other tools' results as runs: one module for each format, none of which knows the store.

A format reads its file piece by piece and gives runs, mistakes and what it leaves out, each with its place;
``run_import`` judges them, stores all or nothing, and reports.
"""
