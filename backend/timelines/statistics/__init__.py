"""Computes means, intervals, comparisons and alarms from scored runs. No I/O: arrays in, small results out.

Runs of one case are correlated, so a case is the unit: every mean is a mean of case means, every interval is
over cases, every comparison is by shared cases, and comparisons of many pairs are corrected. Scores are
normalised (a fraction of the maximum of a case); a point is a hundredth of it.
"""
