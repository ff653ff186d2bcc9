"""Serves asset icons: the provider's image or a generated monogram."""
