"""Builds the responses of the timeline endpoints from compressed chunks."""
