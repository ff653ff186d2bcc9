"""Sends requests without the application's own client, and checks raw responses."""
