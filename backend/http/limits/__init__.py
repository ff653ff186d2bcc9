"""Limits the rate, load, body size and duration of requests.

The size of a body and the rate are settings (``backend/settings/fields.py``).
"""
