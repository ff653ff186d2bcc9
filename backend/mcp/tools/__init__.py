"""Defines the tools by domain."""
