"""Generates the labelled sample runs."""
