"""Extracts the entities that a text names, in jobs of its own and within other jobs."""
