"""Prepares texts for the matcher: folding, language, boundaries and protected parts."""
