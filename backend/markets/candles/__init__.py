"""Builds, stores and reads price history and candles."""
