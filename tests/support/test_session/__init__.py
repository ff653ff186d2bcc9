"""Sets up the test session: order, markers, requirements, caches and shared folders."""
