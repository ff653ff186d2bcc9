"""Defines the catalogue of entities: the names of people, organisations, assets and terms."""
