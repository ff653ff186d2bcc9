"""Simulates market data providers, feeds, X and language models on loopback."""
