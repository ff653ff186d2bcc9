"""Puts the whole service under load: ``python -m benchmarks.load``."""
