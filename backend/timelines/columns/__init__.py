"""Turns runs into Arrow columns and NumPy arrays."""
