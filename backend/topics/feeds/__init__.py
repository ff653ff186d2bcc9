"""Polls feeds, parses them and stores their articles."""
