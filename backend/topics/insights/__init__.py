"""Builds insights on a topic: confirmation, differing figures, market moves and earlier topics."""
