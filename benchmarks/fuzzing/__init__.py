"""Fuzzes the service over HTTP: ``python -m benchmarks.fuzzing``."""
