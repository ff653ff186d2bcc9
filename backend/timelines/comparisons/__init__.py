"""Serves comparisons of profiles over HTTP."""
