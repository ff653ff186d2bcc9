"""Finds the sources of a statement and assesses how well they support it."""
