"""Runs the service, or a part of it, in the process of a test."""
