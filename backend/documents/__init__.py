"""What the service has read: landmarks, pages, articles, topics and a user's own documents, searchable."""
