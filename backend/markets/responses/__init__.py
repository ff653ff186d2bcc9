"""Builds the JSON of the market endpoints."""
