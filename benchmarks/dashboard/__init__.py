"""Measures the dashboard's pages in a browser, and many sessions at once."""
