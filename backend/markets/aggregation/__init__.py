"""Aggregates the providers' quotes of one asset into one price."""
