"""Reads the OpenAPI document and calls every operation that it describes."""
