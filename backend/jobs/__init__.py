"""Runs schedules and submitted jobs outside of requests."""
