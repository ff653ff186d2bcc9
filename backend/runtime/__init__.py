"""What a process runs with: child processes, logging, metrics, garbage collection, the data folder."""
