"""Headlines to topics: which of them tell one event, in one language and across languages, and what the
topic then says of it, word for word out of its members."""
