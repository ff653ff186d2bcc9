"""Posts on X about topics: found, counted and kept up to date, within what the plan allows."""
