"""What statements are held against: landmarks, pages read and a user's own documents, searchable."""
