"""Loads the configured model profiles."""
