"""Groups headlines into topics, in one language and across languages, and builds each topic's text from
quotations."""
