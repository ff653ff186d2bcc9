"""Serves the application over HTTP: server, middleware, limits, errors and responses."""
