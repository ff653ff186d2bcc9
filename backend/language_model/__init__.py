"""Asking a language model at any OpenAI-compatible address, within a ceiling of cost, or not at all."""
