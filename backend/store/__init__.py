"""Opens the SQLite or PostgreSQL store and watches it for changes of other processes."""
