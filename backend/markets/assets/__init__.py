"""Loads the configured assets and resolves their symbols."""
