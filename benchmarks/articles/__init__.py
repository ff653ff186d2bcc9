"""Measures scanning and correcting articles, and finding slips that no rule lists."""
