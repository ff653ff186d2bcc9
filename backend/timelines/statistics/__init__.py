"""What may be concluded from scored runs, and with what certainty. Pure: arrays in, small results out.

Runs of one case resemble each other, so a case is the unit: every mean is a mean of case means, every
interval is over cases, every comparison is by shared cases, and comparisons of many pairs are corrected.
Scores are normalised ones (a fraction of the most that a case can give); a point is a hundredth of it.
"""
