"""Texts as the matcher sees them: folded, with their language, boundaries and protected parts."""
