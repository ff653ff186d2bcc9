"""Measures grouping, translations and pages of topics, and fits the grouping model."""
