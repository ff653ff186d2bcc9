"""Reads rule packs, validates and merges them, and reloads them after changes."""
