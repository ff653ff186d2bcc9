"""Serves topics and incidents as web feeds: Atom (RFC 4287) and JSON Feed 1.1."""
