"""Retrieves documents and passages for claims: from the store, search providers and web pages."""
