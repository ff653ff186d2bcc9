"""Measures cached responses and event streams over HTTP, and attacks OAuth."""
