"""Weighs the evidence for each claim and gives the verdict with its reason."""
