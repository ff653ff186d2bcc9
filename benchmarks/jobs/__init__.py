"""Measures jobs: ``python -m benchmarks.jobs``."""
