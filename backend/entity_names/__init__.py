"""Names assets, organisations and people in three languages, and finds them by any of their names."""
