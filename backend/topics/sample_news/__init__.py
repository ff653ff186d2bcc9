"""Publishes the made-up news of sample mode."""
