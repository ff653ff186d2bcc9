"""Starts programs in separate processes, as users do."""
