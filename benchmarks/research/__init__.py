"""Measures the assessment of statements, document search and entity extraction."""
