"""Runs jobs and worker processes, and reads their tables."""
