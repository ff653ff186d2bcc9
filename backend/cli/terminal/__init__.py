"""Prints to the terminal: banner, tables, progress, errors and exit codes."""
