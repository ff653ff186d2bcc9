"""Measures listings of runs, and simulates the statistics of timelines."""
