"""What the charts of timelines show, ready to draw: pure functions of a selection, no larger than a screen.

Scores are fractions; times are UTC microseconds, places are into the selection's profiles and cases.
"""
