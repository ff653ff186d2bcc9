"""Finding the entities that a text speaks of, as jobs and within other jobs."""
