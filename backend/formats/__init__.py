"""Reads and writes small text forms: timestamps, plurals, YAML, URLs, positions of errors in files."""
