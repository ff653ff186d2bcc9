"""What wraps the application, and the server that it runs in."""
