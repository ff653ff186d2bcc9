"""Reads and writes timestamps, plurals, YAML, URLs and the positions of errors in files."""
