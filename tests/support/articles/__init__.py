"""Builds scan results and violations."""
