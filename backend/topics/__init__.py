"""News topics in three languages: out of feeds, market reports, the archive, and what programs send."""
