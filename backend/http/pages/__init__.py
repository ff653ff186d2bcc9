"""Serves the pages of the service: the landing page and the API reference."""
