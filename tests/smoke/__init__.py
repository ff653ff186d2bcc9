"""Tries the wheel on each supported Python: ``make test-matrix``."""
