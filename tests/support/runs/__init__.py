"""Builds scored runs and the files of evaluation tools."""
