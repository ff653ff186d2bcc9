"""Answers lists of topics: filters, pages, rankings, media."""
