"""Scans and corrects files and archives of articles from the command line."""
