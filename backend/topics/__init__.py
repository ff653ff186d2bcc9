"""Groups news into topics in three languages, from feeds, market reports, the archive and API clients."""
