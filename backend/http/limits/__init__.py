"""Limits the rate, load, body size and duration of requests."""
