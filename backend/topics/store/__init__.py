"""Stores topics with their texts, media, search index and generation records."""
