"""Rules from YAML to the one set in force: read, checked, laid over each other, reloaded."""
