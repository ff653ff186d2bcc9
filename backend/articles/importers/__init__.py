"""Imports naming rules of other tools as packs, with one module for each format."""
