"""Injects faults into a running service and checks that everything it acknowledged exists exactly once.

``python -m benchmarks.faults --help`` lists the faults; docs/faults.md describes them and the results.
"""
