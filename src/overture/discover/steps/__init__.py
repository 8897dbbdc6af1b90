"""Finds the files that other agents read, step by step of their recipes."""
