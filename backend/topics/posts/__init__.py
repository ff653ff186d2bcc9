"""Finds posts on X about topics and keeps their counts up to date, within the limits of the plan."""
