"""Checks valid rules for problems, such as rules that contradict each other."""
