"""Lists evaluations over HTTP and for the command line."""
