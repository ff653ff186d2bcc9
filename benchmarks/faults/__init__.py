"""Faults of all kinds under a service at work, and whether what it acknowledged is there exactly once.

``python -m benchmarks.faults`` with ``--help`` tells the kinds; docs/faults.md has what they do and found.
"""
