"""Finds entity names in articles, checks them against naming rules, and corrects nothing but these names."""
