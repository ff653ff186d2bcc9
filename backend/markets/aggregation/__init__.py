"""Aggregates the providers' quotes of an asset into one published price."""
