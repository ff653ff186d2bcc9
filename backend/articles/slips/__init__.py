"""Finds slips that no rule lists: words within one edit of a name."""
