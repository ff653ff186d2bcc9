"""Compares claims with passages of sources, slot by slot."""
