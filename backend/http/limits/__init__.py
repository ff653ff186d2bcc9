"""Limits requests: rates, load, bodies, and the time that one may take."""
