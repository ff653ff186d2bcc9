"""Imports the results of other tools as runs, with one module for each format.

A format module reads its file piece by piece and generates runs, errors and skipped items with their
places. It does not use the store. ``run_import`` validates the runs, stores all or none, and reports."""
