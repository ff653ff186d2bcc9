"""Computes chart data from a selection of runs. Pure functions; results are small enough to draw.

Scores are fractions, times are UTC microseconds, and places are indexes into the selection's profiles and
cases.
"""
