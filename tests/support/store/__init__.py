"""Creates databases and data folders for tests."""
