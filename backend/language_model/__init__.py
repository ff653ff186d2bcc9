"""Queries a language model at any OpenAI-compatible URL, within a daily cost limit."""
