"""Validates submitted runs."""
