"""Reads lists of topics: filters, pages, rankings and media."""
