"""Compares claims with passages, slot by slot."""
