"""Texts of topics that a language model words: checked against what is stored, kept, and labelled."""
