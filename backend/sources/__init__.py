"""Finding where a statement comes from, and how far what is known bears it out."""
